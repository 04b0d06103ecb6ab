import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { DeleteObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { BackupStore } from '@hearth/service'
import {
  connectStorage,
  failedTo,
  smallCall,
  storageFailure,
  type BucketLocation,
  type StorageKeys,
} from '../artifacts/s3-connection.ts'

/** Bytes of one part of an upload; what is smaller is sent as it is. */
const partSize = 8 * 1024 * 1024

/** Keeps backups as `<prefix>/<name>` in a bucket of S3-compatible object storage. */
export class ObjectStorageBackups implements BackupStore {
  readonly place: string
  readonly #client: ReturnType<typeof connectStorage>
  readonly #bucket: string
  readonly #prefix: string

  constructor(location: BucketLocation, credentials: StorageKeys) {
    this.place = `s3://${location.bucket}${location.prefix === '' ? '' : `/${location.prefix}`}`
    this.#client = connectStorage(location, credentials)
    this.#bucket = location.bucket
    this.#prefix = location.prefix === '' ? '' : `${location.prefix}/`
  }

  async put(name: string, path: string, signal: AbortSignal): Promise<void> {
    const { size } = await stat(path)
    const Body = createReadStream(path, { highWaterMark: 1 << 20 })
    const params = { ...this.#object(name), Body, ContentLength: size, ContentType: 'application/octet-stream' }
    const upload = new Upload({ client: this.#client, params, partSize, queueSize: 2 })
    const abort = () => void upload.abort()
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      await upload.done().catch(failedTo(`storing ${name}`))
    } finally {
      signal.removeEventListener('abort', abort)
      Body.destroy()
    }
  }

  async list(signal: AbortSignal): Promise<string[]> {
    const names: string[] = []
    const where = { Bucket: this.#bucket, Prefix: this.#prefix, Delimiter: '/' }
    try {
      const pages = paginateListObjectsV2({ client: this.#client }, where, { ...smallCall, abortSignal: signal })
      for await (const { Contents = [] } of pages)
        for (const { Key = '' } of Contents) names.push(Key.slice(this.#prefix.length))
    } catch (error) {
      throw storageFailure('listing the backups', error)
    }
    return names
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(name))
    await this.#client.send(command, { ...smallCall, abortSignal: signal }).catch(failedTo(`removing ${name}`))
  }

  close(): void {
    this.#client.destroy()
  }

  #object(name: string) {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${name}` }
  }
}
