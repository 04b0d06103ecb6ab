import { open, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { receiveBody, type ReceivedBody } from './body.ts'
import { listObjects } from './list-objects.ts'
import type { ObjectFiles, StoredObject } from './object-files.ts'
import type { SignedRequest } from './signature.ts'
import { StorageError } from './storage-error.ts'
import { element, elementsOf, textElement, textOf, xmlDocument } from './xml.ts'

/** One request whose sender is known, and what it is about. */
export interface StorageCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly signed: SignedRequest
  readonly files: ObjectFiles
  readonly bucket: string
  readonly key: string
  readonly query: URLSearchParams
  /** Entries of a page of a list. */
  readonly pageSize: number
  /** Breaks the content off, or stops sending, after so many bytes. */
  readonly cut: { readonly after: number; readonly how: 'break' | 'stall' } | undefined
}

/** The name that S3's document has for what a request asks for. */
export function operationOf(method: string, key: string, query: URLSearchParams): string {
  const has = (name: string) => query.has(name)
  if (key === '') {
    if (method === 'GET' && query.get('list-type') === '2') return 'ListObjectsV2'
    if (method === 'POST' && has('delete')) return 'DeleteObjects'
    if (method === 'GET' && has('uploads')) return 'ListMultipartUploads'
    return { HEAD: 'HeadBucket', PUT: 'CreateBucket' }[method] ?? 'unknown'
  }
  if (method === 'POST') return has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  if (method === 'PUT') return has('uploadId') ? 'UploadPart' : 'PutObject'
  if (method === 'DELETE') return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
  return { GET: 'GetObject', HEAD: 'HeadObject' }[method] ?? 'unknown'
}

type Operation = (call: StorageCall) => Promise<void>

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(xml)
}

async function withBody<T>(call: StorageCall, work: (body: ReceivedBody) => Promise<T>): Promise<T> {
  const file = call.files.newFile()
  try {
    return await work(await receiveBody(call.request, call.signed, file))
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** A small body of XML. */
async function readXml(call: StorageCall): Promise<string> {
  return await withBody(call, async (body) => {
    const xml = await readFile(body.file, 'utf8')
    await rm(body.file, { force: true })
    const isProtected = body.checksum !== undefined || call.request.headers['content-md5'] !== undefined
    if (call.query.has('delete') && !isProtected) throw new StorageError(400, 'InvalidRequest')
    return xml
  })
}

const contentTypeOf = (request: IncomingMessage): string => request.headers['content-type'] ?? 'binary/octet-stream'

const putObject: Operation = async (call) => {
  const { request, response, files, bucket, key } = call
  if (request.headers['if-none-match'] === '*' && files.find(bucket, key) !== undefined) {
    throw new StorageError(412, 'PreconditionFailed')
  }
  await withBody(call, async (body) => {
    const { etag, checksum } = await files.put({ bucket, key, contentType: contentTypeOf(request) }, body)
    response.writeHead(200, { etag, ...(checksum === undefined ? {} : { [checksum[0]]: checksum[1] }) }).end()
  })
}

function headersOf(object: StoredObject): Record<string, string | number> {
  return {
    etag: object.etag,
    'content-type': object.contentType,
    'content-length': object.size,
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  }
}

function checkConditions({ request }: StorageCall, { etag }: StoredObject): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers
  if (match !== undefined && match !== '*' && match !== etag) throw new StorageError(412, 'PreconditionFailed')
  if (noneMatch !== undefined && (noneMatch === '*' || noneMatch === etag)) throw new StorageError(304, 'NotModified')
}

const headObject: Operation = async (call) => {
  const object = call.files.get(call.bucket, call.key)
  checkConditions(call, object)
  call.response.writeHead(200, headersOf(object)).end()
}

const getObject: Operation = async (call) => {
  const { request, response, files } = call
  const object = files.get(call.bucket, call.key)
  checkConditions(call, object)
  const range = rangeOf(request.headers.range, object.size)
  // Opened before the answer begins, so that a removal does not disturb it.
  const content = await open(files.contentOf(object))
  const { start, end } = range ?? { start: 0, end: object.size - 1 }
  const part = range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${object.size}` }
  response.writeHead(range === undefined ? 200 : 206, {
    ...headersOf(object),
    'content-length': end - start + 1,
    ...part,
  })
  if (call.cut !== undefined) await sendSome(response, await content.readFile(), call.cut)
  else if (object.size === 0) response.end()
  else await pipeline(content.createReadStream({ start, end, autoClose: false }), response).catch(() => undefined)
  await content.close()
}

async function sendSome(
  response: ServerResponse,
  content: Buffer,
  { after, how }: { readonly after: number; readonly how: 'break' | 'stall' },
): Promise<void> {
  await new Promise((resolve) => response.write(content.subarray(0, after), resolve))
  if (how === 'break') response.socket?.destroy()
}

function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first + last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return undefined
  if (start >= size) throw new StorageError(416, 'InvalidRange', { 'content-range': `bytes */${size}` })
  return { start, end }
}

const deleteObject: Operation = async ({ files, bucket, key, response }) => {
  await files.remove(bucket, key)
  response.writeHead(204).end()
}

const deleteObjects: Operation = async (call) => {
  const xml = await readXml(call)
  const keys = elementsOf(xml, 'Object').map((object) => textOf(object, 'Key') ?? '')
  if (keys.length === 0 || keys.length > 1000) throw new StorageError(400, 'MalformedXML')
  for (const key of keys) await call.files.remove(call.bucket, key)
  const deleted = keys.map((key) => element('Deleted', textElement('Key', key)))
  sendXml(call.response, xmlDocument('DeleteResult', textOf(xml, 'Quiet') === 'true' ? '' : deleted.join('')))
}

const createUpload: Operation = async ({ request, response, files, bucket, key }) => {
  const { id } = files.beginUpload({ bucket, key, contentType: contentTypeOf(request) })
  const facts = textElement('Bucket', bucket) + textElement('Key', key) + textElement('UploadId', id)
  sendXml(response, xmlDocument('InitiateMultipartUploadResult', facts))
}

const pendingOf = ({ files, query, bucket, key }: StorageCall) => files.upload(query.get('uploadId') ?? '', bucket, key)

const uploadPart: Operation = async (call) => {
  const number = Number(call.query.get('partNumber'))
  if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new StorageError(400, 'InvalidArgument')
  pendingOf(call)
  await withBody(call, async (body) => {
    await call.files.putPart(pendingOf(call), number, body)
    const sum = body.checksum === undefined ? {} : { [body.checksum[0]]: body.checksum[1] }
    call.response.writeHead(200, { etag: `"${body.md5}"`, ...sum }).end()
  })
}

const completeUpload: Operation = async (call) => {
  const { files, bucket, key, response } = call
  const parts = elementsOf(await readXml(call), 'Part').map((part) => ({
    number: Number(textOf(part, 'PartNumber')),
    etag: textOf(part, 'ETag') ?? '',
  }))
  const { etag } = await files.completeUpload(pendingOf(call), parts)
  const facts = textElement('Bucket', bucket) + textElement('Key', key) + textElement('ETag', etag)
  sendXml(response, xmlDocument('CompleteMultipartUploadResult', textElement('Location', `/${bucket}/${key}`) + facts))
}

const abortUpload: Operation = async (call) => {
  await call.files.abortUpload(pendingOf(call))
  call.response.writeHead(204).end()
}

const listUploads: Operation = async ({ files, bucket, query, response }) => {
  const prefix = query.get('prefix') ?? ''
  const uploads = [...files.uploads.values()].filter(
    (upload) => upload.bucket === bucket && upload.key.startsWith(prefix),
  )
  const entries = uploads.map(({ key, id, initiatedAt }) => {
    const initiated = textElement('Initiated', new Date(initiatedAt).toISOString())
    return element('Upload', textElement('Key', key) + textElement('UploadId', id) + initiated)
  })
  sendXml(response, xmlDocument('ListMultipartUploadsResult', textElement('Bucket', bucket) + entries.join('')))
}

export const operations: Readonly<Record<string, Operation>> = {
  PutObject: putObject,
  GetObject: getObject,
  HeadObject: headObject,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  CreateMultipartUpload: createUpload,
  UploadPart: uploadPart,
  CompleteMultipartUpload: completeUpload,
  AbortMultipartUpload: abortUpload,
  ListMultipartUploads: listUploads,
  ListObjectsV2: async ({ files, bucket, query, response, pageSize }) =>
    sendXml(response, listObjects(files, { bucket, query, pageSize })),
  HeadBucket: async ({ response }) => void response.writeHead(200).end(),
}
