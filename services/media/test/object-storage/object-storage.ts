import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openObjectFiles, type ObjectFiles } from './object-files.ts'
import { operationOf, operations, type StorageCall } from './operations.ts'
import { verifyRequest } from './signature.ts'
import { StorageError } from './storage-error.ts'
import { textElement } from './xml.ts'

/** A fault of one call. */
export type StorageFault =
  /** Answers this error. */
  | { readonly status: number; readonly code: string }
  /** Breaks the connection before anything happens. */
  | 'reset'
  /** Never answers. */
  | 'hang'
  /** The content ends, or nothing more of it comes, after so many bytes. */
  | { readonly after: number; readonly how: 'break' | 'stall' }

/** One call that the storage saw. */
export interface SeenStorageCall {
  readonly operation: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  status: number
}

/** An S3-compatible object storage on a loopback port, over a directory. */
export interface ObjectStorage extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly keys: { readonly id: string; readonly secret: string }
  readonly files: ObjectFiles
  readonly calls: readonly SeenStorageCall[]
  /** Entries a page of a list has at most; may be changed. */
  pageSize: number
  /** Sets what happens to the next calls of an operation such as `PutObject`. */
  fail(operation: string, ...faults: readonly StorageFault[]): void
  close(): Promise<void>
}

/** Starts the storage with the given buckets. */
export async function startObjectStorage(options: {
  readonly directory: string
  readonly buckets: readonly string[]
}): Promise<ObjectStorage> {
  const files = await openObjectFiles(options.directory)
  for (const bucket of options.buckets) files.buckets.add(bucket)
  const keys = { id: 'AKIATESTTESTTESTTEST', secret: 'secret/of+the/test+only0123456789abcdefgh' }
  const calls: SeenStorageCall[] = []
  const faults = new Map<string, StorageFault[]>()
  const server = createServer((request, response) => {
    const call = seenCall(request)
    calls.push(call)
    serve({ request, response, storage, call, faults })
      .catch((error: unknown) => sendError(response, request, error))
      .finally(() => (call.status = response.statusCode))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const storage: ObjectStorage = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    files,
    calls,
    pageSize: 1000,
    fail: (operation, ...more) => void faults.set(operation, [...(faults.get(operation) ?? []), ...more]),
    close,
    [Symbol.asyncDispose]: close,
  }
  return storage
}

function placeOf(request: IncomingMessage) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage')
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent)
  return { bucket, key: rest.join('/'), query: searchParams }
}

function seenCall(request: IncomingMessage): SeenStorageCall {
  const { key, query } = placeOf(request)
  const { method = '', url = '', headers } = request
  return { operation: operationOf(method, key, query), path: url, headers, status: 0 }
}

interface Serving extends Pick<StorageCall, 'request' | 'response'> {
  readonly storage: ObjectStorage
  readonly call: SeenStorageCall
  readonly faults: Map<string, StorageFault[]>
}

async function serve({ request, response, storage, call, faults }: Serving): Promise<void> {
  response.setHeader('x-amz-request-id', randomUUID())
  const fault = faults.get(call.operation)?.shift()
  if (fault === 'hang') return
  if (fault === 'reset') {
    request.socket.resetAndDestroy()
    return
  }
  if (typeof fault === 'object' && 'code' in fault) throw new StorageError(fault.status, fault.code)
  const signed = verifyRequest(request, (id) => (id === storage.keys.id ? storage.keys.secret : undefined))
  const place = placeOf(request)
  const { files, pageSize } = storage
  if (call.operation === 'CreateBucket') {
    files.buckets.add(place.bucket)
    response.writeHead(200).end()
    return
  }
  if (!files.buckets.has(place.bucket)) throw new StorageError(404, 'NoSuchBucket')
  const operation = operations[call.operation]
  if (operation === undefined) throw new StorageError(501, 'NotImplemented')
  await operation({ request, response, signed, files, ...place, pageSize, cut: fault })
}

function sendError(response: ServerResponse, request: IncomingMessage, error: unknown): void {
  if (response.destroyed || response.headersSent) {
    response.destroy()
    return
  }
  const known = error instanceof StorageError ? error : new StorageError(500, 'InternalError')
  const facts = textElement('Code', known.code) + textElement('Message', String(error))
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${facts}<Resource>${request.method ?? ''}</Resource></Error>`
  const body = request.method === 'HEAD' || known.status === 304 ? '' : xml
  // What is left of a body that nobody reads would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(known.status, { 'content-type': 'application/xml', ...known.headers }).end(body)
  request.resume()
}
