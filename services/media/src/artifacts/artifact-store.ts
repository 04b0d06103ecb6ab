import type { Readable } from 'node:stream'

/** Storage of finished files. All names are checked: others than those of `artifact-name.ts` throw `ArtifactNameRefused`. */
export interface ArtifactStore {
  /**
   * Moves a local file in, in place of an older one of that name. Afterwards the artifact is there whole; when it fails, the
   * file is where it was and what was there before still is.
   */
  put(jobId: string, name: string, file: string): Promise<void>
  /** `undefined` when it is not there. */
  stat(jobId: string, name: string): Promise<ArtifactFacts | undefined>
  /**
   * The bytes `first` to `last`, both included, or all; a `last` behind the end stands for the end. The stream stays readable
   * when the artifact is replaced or removed meanwhile. `undefined` when it is not there; a `first` behind the end rejects
   * with a `RangeError`.
   */
  open(jobId: string, name: string, range?: ArtifactRange): Promise<Readable | undefined>
  /** Calls `work` with the path of a local file with the content, only to be read. Rejects with `ArtifactMissing`. */
  withLocalFile<T>(jobId: string, name: string, work: (path: string) => Promise<T>): Promise<T>
  /** The names of a job's artifacts, sorted; none for an unknown job. */
  list(jobId: string): Promise<string[]>
  /** Resolves to true if there was something to remove. */
  removeOne(jobId: string, name: string): Promise<boolean>
  removeJob(jobId: string): Promise<void>
  /** Every job that has artifacts, with the newest change in milliseconds since the epoch. */
  jobs(): AsyncIterable<{ readonly jobId: string; readonly modifiedAt: number }>
  /** Waits for the changes under way; those that come later reject with `ArtifactStorageFailed`. */
  close(): Promise<void>
}

/** Facts about an artifact that are known without reading it. */
export interface ArtifactFacts {
  /** Bytes. */
  readonly size: number
  /** Time when it was put, milliseconds since the epoch. */
  readonly modifiedAt: number
  /** Differs whenever the content does; letters, digits and hyphens. */
  readonly tag: string
}

/** Bytes of an artifact, both included. */
export interface ArtifactRange {
  readonly first: number
  readonly last: number
}

/** There is no such artifact. */
export class ArtifactMissing extends Error {
  override readonly name = 'ArtifactMissing'
  constructor(jobId: string, name: string) {
    super(`there is no ${name} of job ${jobId}`)
  }
}

/** The storage did not do what it was asked for; it may later. */
export class ArtifactStorageFailed extends Error {
  override readonly name = 'ArtifactStorageFailed'
}

/** Checks a range by itself; throws a `RangeError`. */
export function assertRange({ first, last }: ArtifactRange): void {
  if (Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && last >= first) return
  throw new RangeError(`${first}-${last} is not a range of bytes`)
}

/** The error of a range that begins behind the end. */
export const behindTheEnd = (first: number): RangeError => new RangeError(`byte ${first} is behind the end`)
