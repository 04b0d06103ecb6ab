import { Readable } from 'node:stream'
import type { Content } from '@hearth/http'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { DeliveryCall } from '../delivery/deliver.ts'
import { zipStream, type ZipEntry } from '../delivery/zip-stream.ts'
import { notFound } from '../problems.ts'

/** The files of an export as one archive, and the name it is saved under. */
export interface ExportArchive {
  readonly jobId: string
  readonly fileName: string
  /** Names of the artifacts, and of the files in the archive. */
  readonly files: readonly { readonly artifact: string; readonly name: string }[]
}

/** Delivers the files of an export as one archive, which is written as it is read. */
export async function deliverArchive(
  call: DeliveryCall,
  artifacts: ArtifactStore,
  { jobId, fileName, files }: ExportArchive,
): Promise<Content> {
  const entries: ZipEntry[] = []
  for (const { artifact, name } of files) {
    const facts = await artifacts.stat(jobId, artifact)
    // An archive that lacks a file would look like all of it.
    if (facts === undefined) throw notFound('file')
    entries.push({
      name,
      size: facts.size,
      modifiedAt: facts.modifiedAt,
      async open() {
        const content = await artifacts.open(jobId, artifact)
        if (content === undefined) throw new Error(`${artifact} of job ${jobId} is gone`)
        return content as AsyncIterable<Uint8Array>
      },
    })
  }
  call.answer.header('content-type', 'application/zip')
  call.answer.header('content-security-policy', "default-src 'none'; sandbox")
  call.answer.header('cache-control', 'no-store')
  const content = call.isHead === true ? Readable.from([]) : Readable.from(zipStream(Readable.from(entries)))
  return { content, fileName }
}
