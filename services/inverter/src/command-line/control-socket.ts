import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { createServer, request, type RequestListener } from 'node:http'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

const name = 'control.sock'

/** Time an open answer may delay closing, milliseconds. */
const closeTimeout = 1000

/** Maximum length of a socket path that the system accepts, bytes. */
const maxAddressBytes = 100

/**
 * Creates the control socket of a data directory, over which the command line reaches a running service. Requests on it come
 * from the operator, who could read the database as well.
 */
export function createControlSocket(dataDirectory: string) {
  const operators = new WeakSet<Socket>()
  let handle: RequestListener = (_request, response) => void response.end()
  const server = createServer((incoming, outgoing) => handle(incoming, outgoing))
  server.on('connection', (socket) => operators.add(socket))
  return {
    isOperator: (socket: Socket): boolean => operators.has(socket),
    /** Opens the socket with mode 0600 and replaces that of an earlier run. */
    async listen(handler: RequestListener): Promise<void> {
      handle = handler
      rmSync(join(dataDirectory, name), { force: true })
      await withAddress(dataDirectory, (address) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        server.once('error', reject)
        server.listen(address, resolve)
        return promise
      })
      chmodSync(join(dataDirectory, name), 0o600)
    },
    close: () =>
      new Promise<void>((resolve) => {
        const limit = setTimeout(() => server.closeAllConnections(), closeTimeout)
        server.close(() => {
          clearTimeout(limit)
          rmSync(join(dataDirectory, name), { force: true })
          resolve()
        })
      }),
  }
}

/** A request over the socket. */
export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** Answer of the service over its socket. */
export interface ControlAnswer {
  readonly status: number
  readonly text: string
}

/** Timeout of a command, milliseconds; includes a restore on a slow device. */
const timeLimit = 60_000

/** Sends one request to the service that owns the data directory; rejects with the system's code when none listens. */
export function callControl(dataDirectory: string, { method, path, body }: ControlRequest): Promise<ControlAnswer> {
  return withAddress(dataDirectory, (address) => {
    const { promise, resolve, reject } = Promise.withResolvers<ControlAnswer>()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { 'content-type': 'application/json' }
    // A connection for each request: one that is kept would lead to a service that has ended since.
    const options = { socketPath: address, method, path, headers, timeout: timeLimit, agent: false }
    const outgoing = request(options, (answer) => {
      textOf(answer).then((content) => resolve({ status: answer.statusCode ?? 0, text: content }), reject)
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('the service did not answer in time')))
    outgoing.on('error', reject)
    outgoing.end(text)
    return promise
  })
}

/** Calls `use` with an address of the socket: its path, or one through the open directory when the path is too long. */
async function withAddress<T>(dataDirectory: string, use: (address: string) => Promise<T>): Promise<T> {
  const path = join(dataDirectory, name)
  if (Buffer.byteLength(path) <= maxAddressBytes) return use(path)
  const directory = openSync(dataDirectory, 'r')
  try {
    return await use(`/proc/self/fd/${directory}/${name}`)
  } finally {
    closeSync(directory)
  }
}
