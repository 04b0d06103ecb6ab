import { connect } from 'node:net'

/** Answer to a request that was written byte by byte. `status` is 0 when the server closed without an answer. */
export interface RawReply {
  readonly status: number
  readonly head: string
  readonly body: string
}

/**
 * Writes bytes to the server at an address and reads until it closes the connection: for requests that no HTTP client would
 * send. `isCut` closes our side after the last byte.
 */
export async function sendRaw(address: string, bytes: string, { isCut = false } = {}): Promise<RawReply> {
  const { hostname, port } = new URL(address)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  if (isCut) socket.end(bytes, 'latin1')
  else socket.write(bytes, 'latin1')
  let text = ''
  try {
    for await (const chunk of socket) text += String(chunk)
  } catch {
    // A reset is an answer as well: what came before it counts.
  }
  socket.destroy()
  const end = text.indexOf('\r\n\r\n')
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? []
  return { status: Number(status), head: text.slice(0, Math.max(end, 0)), body: end === -1 ? '' : text.slice(end + 4) }
}
