import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { ArtifactLocation } from './artifact-location.ts'
import { ArtifactNameRefused } from './artifact-name.ts'
import { ArtifactStorageFailed } from './artifact-store.ts'

/** A bucket and what stands before every key in it. */
export type BucketLocation = Extract<ArtifactLocation, { kind: 's3' }>

/** The keys of object storage. */
export interface StorageKeys {
  readonly id: string
  readonly secret: string
  readonly session?: string
}

/** Milliseconds until a connection stands, until an answer begins, and during which a body may stand still. */
export const storageLimits = { connectMs: 5000, answerMs: 20_000, partMs: 120_000, stallMs: 60_000 } as const

/** A client with bounded waiting and at most three attempts at each call. */
export function connectStorage(location: BucketLocation, keys: StorageKeys): S3Client {
  const { id: accessKeyId, secret: secretAccessKey, session: sessionToken } = keys
  return new S3Client({
    region: location.region,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    forcePathStyle: location.isPathStyle,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    maxAttempts: 3,
    // Every body is signed with its hash anyway, and not every S3-compatible storage knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: storageLimits.connectMs,
      // Includes sending the body, so it is the time for one part of an upload.
      requestTimeout: storageLimits.partMs,
      throwOnRequestTimeout: true,
      // A listener who pauses must not end the stream; who waits for bytes is watched where they are read.
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
