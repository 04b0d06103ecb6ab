import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'

/** Options of a load. */
export interface Load {
  readonly port: number
  readonly path: string
  readonly token: string
  readonly connections: number
  readonly seconds: number
}

/** Puts a load on a server from another process; requests a second, and how many answers were no 200. */
export async function putLoad(load: Load): Promise<{ perSecond: number; failed: number }> {
  const child = fork(import.meta.filename)
  child.send(load)
  const [result] = (await once(child, 'message')) as [{ perSecond: number; failed: number }]
  child.disconnect()
  return result
}

/** One request after the other on each connection; bare sockets, so that the client is never the slower one. */
async function run({ port, path, token, connections, seconds }: Load): Promise<{ perSecond: number; failed: number }> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`)
  let [count, failed, isOver] = [0, 0, false]
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let missing = 0
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk: Buffer) => {
      missing = missing === 0 ? missingAfter(chunk) : missing - chunk.length
      if (missing > 0) return
      count += 1
      if (!isOver) socket.write(request)
    })
    socket.on('error', () => (failed += 1))
    return socket
  })
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  isOver = true
  for (const socket of sockets) socket.destroy()
  return { perSecond: count / seconds, failed }
}

/** Bytes of an answer that are still to come after its beginning; throws when it is no 200. */
function missingAfter(chunk: Buffer): number {
  if (chunk[9] !== 0x32) throw new Error(chunk.toString().slice(0, 300))
  const head = chunk.indexOf('\r\n\r\n')
  const field = chunk.indexOf('content-length: ')
  const length = Number.parseInt(chunk.toString('latin1', field + 16, field + 24), 10)
  return head + 4 + length - chunk.length
}

if (process.send !== undefined && process.argv[1] === import.meta.filename)
  process.once('message', (load) => {
    void run(load as Load).then((result) => process.send?.(result))
  })
