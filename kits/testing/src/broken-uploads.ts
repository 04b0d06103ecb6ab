/** A multipart body that no server can read, and the type it is sent with. */
export interface BrokenUpload {
  readonly what: string
  readonly type: string
  readonly body: string
  /** The connection closes before the length that was announced. */
  readonly isCut?: boolean
}

const type = 'multipart/form-data; boundary=b'
const partHead = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'

/** Every way in which an upload arrives broken; each is to be answered with 400, or by nothing when the caller is gone. */
export const brokenUploads: readonly BrokenUpload[] = [
  { what: 'no boundary', type: 'multipart/form-data', body: `${partHead}abc\r\n--b--\r\n` },
  { what: 'an empty boundary', type: 'multipart/form-data; boundary=', body: `${partHead}abc\r\n--b--\r\n` },
  { what: 'a boundary that is too long', type: `${type}${'b'.repeat(300)}`, body: `${partHead}abc\r\n--b--\r\n` },
  { what: 'no closing boundary', type, body: `${partHead}abc` },
  { what: 'a large part without an end', type, body: `${partHead}${'x'.repeat(200_000)}` },
  { what: 'an end in the head of a part', type, body: '--b\r\ncontent-disposition: form-da' },
  { what: 'a field without an end', type, body: '--b\r\ncontent-disposition: form-data; name="text"\r\n\r\nabc' },
  { what: 'another boundary', type, body: partHead.replace('--b', '--c') },
  { what: 'text that is no form', type, body: 'hello' },
  { what: 'a forbidden field name', type, body: `${partHead.replace('"file"', '"__proto__"')}abc\r\n--b--\r\n` },
  { what: 'a connection that closes within a part', type, body: `${partHead}abc`, isCut: true },
]

/** The request of a broken upload, ready to be written to a socket. */
export function rawUpload(path: string, upload: BrokenUpload, headers: Readonly<Record<string, string>> = {}): string {
  const length = upload.body.length + (upload.isCut === true ? 1000 : 0)
  const lines = { host: 'localhost', connection: 'close', 'content-type': upload.type, ...headers }
  const head = Object.entries({ ...lines, 'content-length': length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${upload.body}`
}
