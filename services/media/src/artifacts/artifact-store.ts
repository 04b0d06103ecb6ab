import type { Readable } from 'node:stream'

/** Storage of finished files. All names are checked: others than `isArtifactName` accepts throw `ArtifactNameRefused`. */
export interface ArtifactStore {
  /**
   * Moves a local file in, in place of an older one of that name. Afterwards the artifact is complete; when it fails, the
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
  /** Every job that has artifacts. */
  jobs(): AsyncIterable<StoredJob>
  /** Waits for running changes; later ones reject with `ArtifactStorageFailed`. */
  close(): Promise<void>
}

/** A job that has artifacts. */
export interface StoredJob {
  readonly jobId: string
  /** Time of the newest change, milliseconds since the epoch. */
  readonly modifiedAt: number
  readonly files: readonly { readonly name: string; readonly size: number }[]
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

/** The storage failed; a later attempt may succeed. */
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

/** A job id or the name of an artifact that no store takes. */
export class ArtifactNameRefused extends Error {
  override readonly name = 'ArtifactNameRefused'
}

/** Returns true if a text is a job's id: a UUID in small letters. */
export const isJobId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Returns true if a text is the name of an artifact: ours alone, never a title. */
export const isArtifactName = (text: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,80}$/.test(text)

/** Throws `ArtifactNameRefused` for anything else. */
export function assertJobId(jobId: string): void {
  if (!isJobId(jobId)) throw new ArtifactNameRefused('the job id is not a UUID in small letters')
}

/** Throws `ArtifactNameRefused` unless both are well formed. */
export function assertArtifactName(jobId: string, name: string): void {
  assertJobId(jobId)
  if (!isArtifactName(name)) {
    throw new ArtifactNameRefused('the name of an artifact has at most 81 of a-z, 0-9, _, . and -')
  }
}
