import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { readFile, readFileDigest } from './store.ts'

/** The picture that is overlaid on videos: the uploaded one, otherwise the default. */
export type Watermark = ReturnType<typeof openWatermark>

/** The name of the uploaded picture among the stored files. */
export const logoFile = 'watermark-logo'

const bundled = fileURLToPath(new URL('../../assets/watermark.png', import.meta.url))

/**
 * Gives the picture in the database to programs that need a file: a copy in the folder, named after its content, made when
 * it is first requested, so that every process has the one that was uploaded last, whichever took it.
 */
export function openWatermark({ db, folder }: { db: Kysely<Tables>; folder: string }) {
  const inUse = new Map<string, number>()
  const pathOf = (digest: string) => join(folder, `${digest}.png`)

  async function provide(digest: string): Promise<string> {
    const path = pathOf(digest)
    if (existsSync(path)) return path
    const bytes = await readFile(db, logoFile)
    // It was removed or replaced meanwhile; the default picture is right for both.
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== digest) return bundled
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await writeFileAtomic(path, bytes)
    const names = await readdir(folder)
    const old = names.filter((name) => join(folder, name) !== path && !inUse.has(join(folder, name)))
    await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
    return path
  }

  return {
    /** Calls the work with the path of a PNG, which stays as it is until the work is done. */
    async withPicture<T>(work: (picture: string) => Promise<T>): Promise<T> {
      const digest = await readFileDigest(db, logoFile)
      if (digest === undefined) return work(bundled)
      const path = pathOf(digest)
      inUse.set(path, (inUse.get(path) ?? 0) + 1)
      try {
        return await work(await provide(digest))
      } finally {
        const others = (inUse.get(path) ?? 1) - 1
        if (others === 0) inUse.delete(path)
        else inUse.set(path, others)
      }
    },
  }
}
