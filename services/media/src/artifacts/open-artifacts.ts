import { mkdirSync, createReadStream } from 'node:fs'
import { rename, stat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactStore } from './artifact-store.ts'
export async function openArtifacts(
  _l: string | undefined,
  { dataDirectory }: { dataDirectory: string },
): Promise<ArtifactStore> {
  const root = join(dataDirectory, 'artifacts')
  return {
    async put(id, name, file) {
      mkdirSync(join(root, id), { recursive: true })
      await rename(file, join(root, id, name))
    },
    async stat(id, name) {
      const s = await stat(join(root, id, name)).catch(() => undefined)
      return s && { size: s.size, modifiedAt: s.mtimeMs, tag: String(s.mtimeMs) }
    },
    async open(id, name, r) {
      return createReadStream(join(root, id, name), r && { start: r.first, end: r.last })
    },
    async withLocalFile(id, name, work) {
      return work(join(root, id, name))
    },
    async list(id) {
      return readdir(join(root, id)).catch(() => [])
    },
    async removeOne(id, name) {
      await rm(join(root, id, name))
      return true
    },
    async removeJob(id) {
      await rm(join(root, id), { recursive: true, force: true })
    },
    async *jobs() {},
    async close() {},
  }
}
