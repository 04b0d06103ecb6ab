import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { conversionProblem } from '../delivery/derived-file.ts'
import { downloadName } from '../jobs/file-names.ts'
import { Problem } from '../problems.ts'
import { provideFile } from './share-files.ts'
import type { LinkedFile } from './store.ts'
import { zipStream, type ZipEntry } from '../delivery/zip-stream.ts'

interface ArchiveDependencies {
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
}

/** Streams the files of a link as one archive. Each is looked up, and made if need be, when its turn comes; one that is gone is left out. */
export function shareArchive(
  dependencies: ArchiveDependencies,
  files: readonly LinkedFile[],
): AsyncGenerator<Uint8Array> {
  return zipStream(entriesOf(dependencies, files))
}

async function* entriesOf(dependencies: ArchiveDependencies, files: readonly LinkedFile[]): AsyncGenerator<ZipEntry> {
  const { artifacts } = dependencies
  const taken = new Set<string>()
  for (const { job } of files) {
    const file = await provideFile(dependencies, job).catch(leaveOut)
    if (file === undefined) continue
    yield {
      name: freeName(downloadName(job) ?? 'media', taken),
      size: file.size,
      modifiedAt: file.modifiedAt,
      async open() {
        const content = await artifacts.open(job.id, file.name)
        if (content === undefined) throw new Error(`${file.name} of job ${job.id} is gone`)
        return content as AsyncIterable<Uint8Array>
      },
    }
  }
}

/** Leaves out a file that cannot be converted or was deleted meanwhile; a full disk ends the archive. */
function leaveOut(error: unknown): undefined {
  const problem = conversionProblem(error)
  if (problem instanceof Problem && problem.status !== 503) return undefined
  throw error
}

/** Returns a name that no other file of the archive has, whatever the case, and remembers it. */
function freeName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = [name.slice(0, dot), name.slice(dot)]
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${stem} (${number})${extension}`
  taken.add(free.toLowerCase())
  return free
}
