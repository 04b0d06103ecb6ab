import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { ArtifactLocation } from './artifact-location.ts'
import { ArtifactNameRefused, ArtifactStorageFailed } from './artifact-store.ts'
import { Readable } from 'node:stream'
import { systemTimers, type Timers } from '@hearth/runtime'

/** A bucket and the prefix of every key in it. */
export type BucketLocation = Extract<ArtifactLocation, { kind: 's3' }>

/** The keys of object storage. */
export interface StorageKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Timeouts of connecting, of the first byte of an answer, of one part of an upload, and of a stalled body; milliseconds. */
export const storageLimits = { connectMs: 5000, answerMs: 20_000, partMs: 120_000, stallMs: 60_000 } as const

/** A client with bounded waiting and at most three attempts at each call. */
export function connectStorage(location: BucketLocation, credentials: StorageKeys): S3Client {
  return new S3Client({
    region: location.region,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    forcePathStyle: location.isPathStyle,
    credentials,
    maxAttempts: 3,
    // Every body is signed with its hash anyway, and not every S3-compatible storage knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: storageLimits.connectMs,
      // Includes sending the body, so it is the time for one part of an upload.
      requestTimeout: storageLimits.partMs,
      throwOnRequestTimeout: true,
      // A paused listener must not end the stream; stalled reads are detected where the body is read.
      socketTimeout: 0,
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  })
}

/** For calls that carry no file. */
export const smallCall = { requestTimeout: storageLimits.answerMs } as const

/** The status of an answer that refused something. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

/** Returns true if the storage said that there is no such object. */
export const isAbsence = (error: unknown): boolean =>
  statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket'

/** `missing` when there is no such object; anything else is thrown as `ArtifactStorageFailed`. */
export async function orWhenAbsent<T, U>(what: string, work: Promise<T>, missing: U): Promise<T | U> {
  try {
    return await work
  } catch (error) {
    if (isAbsence(error)) return missing
    throw storageFailure(what, error)
  }
}

/** Returns the error for a failed call. Errors of the library are not kept: they hold requests with their signatures. */
export function storageFailure(what: string, error: unknown): Error {
  if (error instanceof ArtifactNameRefused || error instanceof ArtifactStorageFailed) return error
  const { name, code } = error as { name?: unknown; code?: unknown }
  const reason = [statusOf(error), name, code].filter((part) => typeof part === 'number' || typeof part === 'string')
  return new ArtifactStorageFailed(`object storage: ${what} failed: ${reason.join(' ')}`)
}

/** Creates the handler of a rejected call, which throws the error for it. */
export const failedTo =
  (what: string) =>
  (error: unknown): never => {
    throw storageFailure(what, error)
  }

/** Age from which an upload counts as left by a process that has died, milliseconds. */
const abandonedAfter = 24 * 3_600_000

/**
 * Ends uploads below the store's prefix that will never be completed; their parts take space that no listing shows. At most
 * a thousand at a time. A storage that cannot do this is left as it is.
 */
export async function endAbandonedUploads(client: S3Client, location: BucketLocation): Promise<void> {
  const Bucket = location.bucket
  const Prefix = location.prefix === '' ? '' : `${location.prefix}/`
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }), smallCall)
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Initiated === undefined || Date.now() - Initiated.getTime() < abandonedAfter) continue
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), smallCall)
    }
  } catch {
    // A leftover upload only costs space.
  }
}

/**
 * Passes a body on and fails when its sender lets the reader wait for too many milliseconds. A reader may pause as long as it
 * likes. Destroying the stream ends the body, also before anything was read.
 */
export function watchBody(body: Readable, stallMs: number, timers: Timers = systemTimers): Readable {
  const watched = Readable.from(chunksOf(body, { stallMs, timers }), { objectMode: false })
  return watched.once('close', () => body.destroy())
}

async function* chunksOf(body: Readable, limit: { readonly stallMs: number; readonly timers: Timers }) {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  for (;;) {
    const cancel = limit.timers.after(limit.stallMs, () => {
      body.destroy(new ArtifactStorageFailed('object storage: the content stands still'))
    })
    const step = await chunks.next().catch(asFailure).finally(cancel)
    if (step.done === true) return
    yield step.value
  }
}

function asFailure(error: unknown): never {
  if (error instanceof ArtifactStorageFailed) throw error
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
  throw new ArtifactStorageFailed(`object storage: the content broke off: ${reason}`)
}
