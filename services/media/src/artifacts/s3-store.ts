import { constants } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { OperatorError } from '@hearth/runtime'
import {
  connectStorage,
  endAbandonedUploads,
  failedTo,
  isAbsence,
  orWhenAbsent,
  smallCall,
  statusOf,
  storageFailure,
  storageLimits,
  watchBody,
  type BucketLocation,
  type StorageKeys,
} from './s3-connection.ts'
import {
  ArtifactMissing,
  ArtifactStorageFailed,
  assertArtifactName,
  assertJobId,
  assertRange,
  behindTheEnd,
  isArtifactName,
  isJobId,
  type ArtifactFacts,
  type ArtifactRange,
  type ArtifactStore,
  type StoredJob,
} from './artifact-store.ts'
import { openLocalCopies, type LocalCopies } from './local-copies.ts'

/** Options of `openS3Store`. */
export interface S3StoreOptions {
  readonly credentials: StorageKeys
  /** A folder for local copies, and how many bytes of them are kept. */
  readonly copies: string
  readonly copyBytes: number
}

/**
 * Keeps artifacts as `<prefix>/<job id>/<name>` in a bucket of S3-compatible object storage. Calls reject with
 * `ArtifactStorageFailed` when the storage does not do what it should. Throws an `OperatorError` when it refuses the bucket or
 * the keys. What uploads of dead processes left is removed, a day after.
 */
export async function openS3Store(location: BucketLocation, options: S3StoreOptions): Promise<ArtifactStore> {
  const client = connectStorage(location, options.credentials)
  try {
    if (await isReachable(client, location)) await endAbandonedUploads(client, location)
    return new S3Store(client, location, await openLocalCopies(options.copies, options.copyBytes))
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** Throws when the storage refuses access. */
async function isReachable(client: S3Client, { bucket: Bucket, prefix: Prefix }: BucketLocation): Promise<boolean> {
  try {
    await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }), smallCall)
    return true
  } catch (error) {
    const status = statusOf(error) ?? 0
    const isRefused = status >= 300 && status < 500 && status !== 429
    if (isRefused) throw new OperatorError(`ARTIFACTS: the object storage answers ${(error as Error).name}`)
    return false
  }
}

/** Bytes of one part of an upload, and how many are under way together; what is smaller than one is sent as it is. */
const partSize = 8 * 1024 * 1024
const partsTogether = 2

class S3Store implements ArtifactStore {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string
  readonly #copies: LocalCopies

  constructor(client: S3Client, { bucket, prefix }: BucketLocation, copies: LocalCopies) {
    this.#client = client
    this.#bucket = bucket
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.#copies = copies
  }

  async put(jobId: string, name: string, file: string): Promise<void> {
    const target = this.#object(jobId, name)
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const facts = await handle.stat()
      if (!facts.isFile()) throw new Error('only a plain file can become an artifact')
      const Body = handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })
      const params = { ...target, Body, ContentLength: facts.size, ContentType: 'application/octet-stream' }
      const upload = new Upload({ client: this.#client, params, partSize, queueSize: partsTogether })
      await upload.done().catch(failedTo(`storing ${name}`))
    } finally {
      await handle.close()
    }
    await unlink(file)
  }

  async stat(jobId: string, name: string): Promise<ArtifactFacts | undefined> {
    const head = this.#client.send(new HeadObjectCommand(this.#object(jobId, name)), smallCall)
    const facts = await orWhenAbsent(`reading the facts of ${name}`, head, undefined)
    if (facts === undefined) return undefined
    return { size: facts.ContentLength ?? 0, modifiedAt: facts.LastModified?.getTime() ?? 0, tag: tagOf(facts.ETag) }
  }

  async open(jobId: string, name: string, range?: ArtifactRange): Promise<Readable | undefined> {
    if (range !== undefined) assertRange(range)
    const found = await this.#read(jobId, name, range).catch((error: unknown) => {
      throw range !== undefined && statusOf(error) === 416
        ? behindTheEnd(range.first)
        : storageFailure(`reading ${name}`, error)
    })
    return found?.body
  }

  async #read(jobId: string, name: string, range?: ArtifactRange): Promise<Found | undefined> {
    const Range = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }
    const command = new GetObjectCommand({ ...this.#object(jobId, name), ...Range })
    try {
      const { Body, ETag } = await this.#client.send(command, smallCall)
      return { body: watchBody(Body as Readable, storageLimits.stallMs), tag: tagOf(ETag) }
    } catch (error) {
      if (isAbsence(error)) return undefined
      throw error
    }
  }

  async withLocalFile<T>(jobId: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const facts = await this.stat(jobId, name)
      if (facts === undefined) throw new ArtifactMissing(jobId, name)
      const { tag, size } = facts
      const fetch = (into: string) => this.#fetch({ jobId, name, tag }, into)
      try {
        return await this.#copies.use({ key: `${jobId}/${name}/${tag}`, name, size, fetch }, work)
      } catch (error) {
        if (!(error instanceof Replaced)) throw error
        if (attempt === 3) throw new ArtifactStorageFailed(`object storage: ${name} changes while it is fetched`)
      }
    }
  }

  /** Fetches exactly the content with this tag, so that a copy is what its key says. */
  async #fetch(wanted: { jobId: string; name: string; tag: string }, into: string): Promise<void> {
    const { jobId, name, tag } = wanted
    const found = await this.#read(jobId, name).catch(failedTo(`fetching ${name}`))
    if (found === undefined) throw new ArtifactMissing(jobId, name)
    if (found.tag !== tag) {
      found.body.destroy()
      throw new Replaced()
    }
    const file = await open(into, 'wx', 0o600)
    await pipeline(found.body, file.createWriteStream())
  }

  async list(jobId: string): Promise<string[]> {
    assertJobId(jobId)
    const names: string[] = []
    for await (const { name } of this.#objects(`${jobId}/`)) names.push(name)
    return names.sort()
  }

  async removeOne(jobId: string, name: string): Promise<boolean> {
    const isThere = (await this.stat(jobId, name)) !== undefined
    const removal = this.#client.send(new DeleteObjectCommand(this.#object(jobId, name)), smallCall)
    await orWhenAbsent(`removing ${name}`, removal, undefined)
    await this.#copies.forget(`${jobId}/${name}/`)
    return isThere
  }

  async removeJob(jobId: string): Promise<void> {
    const names = await this.list(jobId)
    for (let at = 0; at < names.length; at += 1000) {
      const Objects = names.slice(at, at + 1000).map((name) => ({ Key: this.#object(jobId, name).Key }))
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } })
      const { Errors = [] } = await this.#client.send(command, smallCall).catch(failedTo('removing a job'))
      if (Errors[0] !== undefined) throw new ArtifactStorageFailed(`object storage: removing failed: ${Errors[0].Code}`)
    }
    await this.#copies.forget(`${jobId}/`)
  }

  /** Keys come in their order, so those of one job stand together. */
  async *jobs(): AsyncGenerator<StoredJob> {
    let current: StoredJob | undefined
    for await (const { jobId, modifiedAt, ...file } of this.#objects('')) {
      const known = current?.jobId === jobId ? current : undefined
      if (current !== undefined && known === undefined) yield current
      const newest = Math.max(known?.modifiedAt ?? 0, modifiedAt)
      current = { jobId, modifiedAt: newest, files: [...(known?.files ?? []), file] }
    }
    if (current !== undefined) yield current
  }

  async *#objects(below: string): AsyncGenerator<{ jobId: string; name: string; modifiedAt: number; size: number }> {
    const Prefix = `${this.#prefix}${below}`
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix }, smallCall)
    try {
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', LastModified, Size: size = 0 } of Contents) {
          const [jobId = '', name = '', ...rest] = Key.slice(this.#prefix.length).split('/')
          if (!isJobId(jobId) || !isArtifactName(name) || rest.length > 0) continue
          yield { jobId, name, modifiedAt: LastModified?.getTime() ?? 0, size }
        }
      }
    } catch (error) {
      throw storageFailure('listing', error)
    }
  }

  #object(jobId: string, name: string) {
    assertArtifactName(jobId, name)
    return { Bucket: this.#bucket, Key: `${this.#prefix}${jobId}/${name}` }
  }

  async close(): Promise<void> {
    this.#client.destroy()
    await this.#copies.close()
  }
}

interface Found {
  readonly body: Readable
  readonly tag: string
}

/** The content was replaced since its tag was read. */
class Replaced extends Error {}

const tagOf = (etag: string | undefined): string => (etag ?? '').replaceAll(/[^A-Za-z0-9-]/g, '')
