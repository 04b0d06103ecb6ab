import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ReceivedBody } from './body.ts'
import { noSuchKey, StorageError } from './storage-error.ts'

/** One object as it is kept: a file with the content and one with this. */
export interface StoredObject {
  readonly id: string
  readonly bucket: string
  readonly key: string
  readonly size: number
  /** With its quotes. */
  readonly etag: string
  readonly contentType: string
  readonly checksum: readonly [name: string, value: string] | undefined
  readonly modifiedAt: number
}

interface Part {
  readonly file: string
  readonly size: number
  readonly md5: string
}

/** An upload in parts that has not been completed. */
export interface PendingUpload {
  readonly id: string
  readonly bucket: string
  readonly key: string
  readonly contentType: string
  readonly parts: Map<number, Part>
  /** May be changed, to make it old. */
  initiatedAt: number
}

/** The smallest part that is not the last. */
const smallestPart = 5 * 1024 * 1024

/** Objects in a directory. What is there when it is opened is there again. */
export class ObjectFiles {
  readonly #directory: string
  readonly #objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, PendingUpload>()
  readonly buckets = new Set<string>()

  constructor(directory: string) {
    this.#directory = directory
    for (const name of readdirSync(directory).filter((name) => name.endsWith('.json'))) {
      const object = JSON.parse(readFileSync(join(directory, name), 'utf8')) as StoredObject
      this.#objects.set(nameOf(object.bucket, object.key), object)
      this.buckets.add(object.bucket)
    }
  }

  /** A file to receive something into. */
  newFile(): string {
    return join(this.#directory, `${randomUUID()}.part`)
  }

  contentOf(object: StoredObject): string {
    return join(this.#directory, `${object.id}.content`)
  }

  find(bucket: string, key: string): StoredObject | undefined {
    return this.#objects.get(nameOf(bucket, key))
  }

  get(bucket: string, key: string): StoredObject {
    const object = this.find(bucket, key)
    if (object === undefined) throw noSuchKey()
    return object
  }

  /** All keys of a bucket in the order of their bytes. */
  keys(bucket: string): string[] {
    const keys = [...this.#objects.values()].filter((object) => object.bucket === bucket).map((object) => object.key)
    return keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  }

  async put(target: Pick<StoredObject, 'bucket' | 'key' | 'contentType'>, body: ReceivedBody): Promise<StoredObject> {
    return await this.#keep({ ...target, etag: `"${body.md5}"`, checksum: body.checksum }, body)
  }

  async #keep(
    facts: Omit<StoredObject, 'id' | 'size' | 'modifiedAt'>,
    content: { readonly file: string; readonly size: number },
  ): Promise<StoredObject> {
    // Whole seconds, as in the headers.
    const modifiedAt = Math.floor(Date.now() / 1000) * 1000
    const object: StoredObject = { ...facts, id: randomUUID(), size: content.size, modifiedAt }
    await rename(content.file, this.contentOf(object))
    await writeFile(join(this.#directory, `${object.id}.json`), JSON.stringify(object))
    const earlier = this.find(object.bucket, object.key)
    this.#objects.set(nameOf(object.bucket, object.key), object)
    if (earlier !== undefined) await this.#discard(earlier)
    return object
  }

  async remove(bucket: string, key: string): Promise<void> {
    const object = this.find(bucket, key)
    if (object === undefined) return
    this.#objects.delete(nameOf(bucket, key))
    await this.#discard(object)
  }

  async #discard(object: StoredObject): Promise<void> {
    await rm(join(this.#directory, `${object.id}.json`), { force: true })
    await rm(this.contentOf(object), { force: true })
  }

  beginUpload(target: Pick<PendingUpload, 'bucket' | 'key' | 'contentType'>): PendingUpload {
    const upload = {
      ...target,
      id: randomUUID().replaceAll('-', ''),
      parts: new Map<number, Part>(),
      initiatedAt: Date.now(),
    }
    this.uploads.set(upload.id, upload)
    return upload
  }

  upload(id: string, bucket: string, key: string): PendingUpload {
    const upload = this.uploads.get(id)
    if (upload === undefined || upload.bucket !== bucket || upload.key !== key) {
      throw new StorageError(404, 'NoSuchUpload')
    }
    return upload
  }

  async putPart(upload: PendingUpload, number: number, body: ReceivedBody): Promise<void> {
    const earlier = upload.parts.get(number)
    upload.parts.set(number, body)
    if (earlier !== undefined) await rm(earlier.file, { force: true })
  }

  /** Joins the listed parts, whose numbers grow and whose ETags are those that were given. */
  async completeUpload(
    upload: PendingUpload,
    listed: readonly { readonly number: number; readonly etag: string }[],
  ): Promise<StoredObject> {
    const isOrdered = listed.every(({ number }, index) => index === 0 || number > (listed[index - 1]?.number ?? 0))
    if (!isOrdered) throw new StorageError(400, 'InvalidPartOrder')
    const parts = listed.map(({ number, etag }, index) => {
      const part = upload.parts.get(number)
      if (part === undefined || etag.replaceAll('"', '') !== part.md5) throw new StorageError(400, 'InvalidPart')
      if (index < listed.length - 1 && part.size < smallestPart) throw new StorageError(400, 'EntityTooSmall')
      return part
    })
    if (parts.length === 0) throw new StorageError(400, 'MalformedXML')
    const file = this.newFile()
    for (const part of parts) await pipeline(createReadStream(part.file), createWriteStream(file, { flags: 'a' }))
    const hashes = Buffer.concat(parts.map((part) => Buffer.from(part.md5, 'hex')))
    const etag = `"${createHash('md5').update(hashes).digest('hex')}-${parts.length}"`
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const { bucket, key, contentType } = upload
    const object = await this.#keep({ bucket, key, contentType, etag, checksum: undefined }, { file, size })
    await this.abortUpload(upload)
    return object
  }

  async abortUpload(upload: PendingUpload): Promise<void> {
    this.uploads.delete(upload.id)
    for (const part of upload.parts.values()) await rm(part.file, { force: true })
  }
}

/** Opens the directory, making it when it is missing. */
export async function openObjectFiles(directory: string): Promise<ObjectFiles> {
  await mkdir(directory, { recursive: true })
  return new ObjectFiles(directory)
}

const nameOf = (bucket: string, key: string): string => `${bucket}/${key}`
