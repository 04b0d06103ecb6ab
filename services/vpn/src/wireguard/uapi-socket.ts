import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DeviceError } from './device.ts'
import type { UapiParser } from './uapi-text.ts'

/** Bytes of a reply that are parsed before other work gets its turn. */
const sliceLength = 64 * 1024

/** No answer came because nobody listens: the process that made the socket is gone. */
export class NobodyListens extends DeviceError {}

/**
 * Sends one request to the socket of a userspace device and feeds the reply to the parser. The reply is taken off the socket
 * as fast as it comes, because the device holds its lock until then, and parsed in slices afterwards. Throws
 * `NobodyListens` when the socket is missing or stale, a `DeviceError` when the answer does not come in time.
 */
export async function exchangeUapi(
  path: string,
  request: string,
  options: { parser: UapiParser; timeout: number },
): Promise<void> {
  const reply = await fetchUapi(path, request, options.timeout)
  for (let at = 0; at < reply.length; at += sliceLength) {
    options.parser.push(reply.toString('latin1', at, at + sliceLength))
    if (at + sliceLength < reply.length) await nextTurn()
  }
  if (options.parser.errno() === undefined) throw new DeviceError('the device ended the connection in mid-answer')
}

/** True when a process listens on the socket. */
export async function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2000, () => end(false))
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
  })
}

/** Sends one request and resolves with the whole reply, unread; errors are those of `exchangeUapi`. */
export function fetchUapi(path: string, request: string, timeout: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(path)
    const timer = setTimeout(() => fail(new DeviceError(`the device did not answer within ${timeout} ms`)), timeout)
    const fail = (error: DeviceError) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.on('connect', () => socket.write(request))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (isComplete(chunks)) done()
    })
    socket.on('end', done)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const isGone = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
      fail(
        isGone
          ? new NobodyListens('no device listens')
          : new DeviceError(`the device's socket: ${error.code ?? 'failed'}`),
      )
    })
  })
}

/** A reply ends with an empty line; no other line is empty. */
function isComplete(chunks: readonly Buffer[]): boolean {
  const last = chunks.at(-1)
  if (last === undefined || last.at(-1) !== 0x0a) return false
  const before = last.length > 1 ? last.at(-2) : chunks.at(-2)?.at(-1)
  return before === 0x0a
}
