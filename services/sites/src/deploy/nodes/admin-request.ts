import { lookup } from 'node:dns/promises'
import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isAdminHost, type AdminAddress } from './admin-address.ts'

/** One call of the admin endpoint. */
export interface AdminCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for the whole call. */
  readonly timeoutMs: number
}

export interface AdminReply {
  readonly status: number
  readonly body: string
  /** As a header, or as a trailer on older versions. */
  readonly etag: string | undefined
}

/** The endpoint cannot be reached: nothing was changed. */
export class AdminUnreachable extends Error {
  override readonly name = 'AdminUnreachable'
}

/** The call was sent, and no answer came: what it did is not known. */
export class AdminUnknown extends Error {
  override readonly name = 'AdminUnknown'
}

/** Bytes of an answer; 20,000 sites are about 7 MB. */
const maxAnswer = 16 * 1024 * 1024

/**
 * Calls the admin endpoint over a new connection: each change of the configuration closes those that are open. Follows
 * no redirect and uses no proxy. Throws `AdminUnreachable` or `AdminUnknown`; an error status is an answer.
 */
export async function sendAdminCall(address: AdminAddress, call: AdminCall): Promise<AdminReply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(address, call)
    } catch (error) {
      // Caddy opens its endpoint anew at each change, and for a moment nobody listens there.
      const isBrief = error instanceof AdminUnreachable && /ENOENT|ECONNREFUSED/.test(error.message)
      if (!isBrief || attempt === attempts) throw error
      await pause(pauseMs)
    }
  }
}

const attempts = 4
const pauseMs = 40

async function sendOnce(address: AdminAddress, call: AdminCall): Promise<AdminReply> {
  const target = await targetOf(address)
  const { promise, resolve, reject } = Promise.withResolvers<AdminReply>()
  const body = call.body === undefined ? undefined : Buffer.from(call.body)
  let isSent = false
  const outgoing = request({
    ...target,
    agent: false,
    method: call.method,
    path: call.path,
    signal: AbortSignal.timeout(call.timeoutMs),
    headers: {
      ...target.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
      ...call.headers,
    },
  })
  outgoing.on('socket', (socket) => socket.once('connect', () => (isSent = true)))
  outgoing.on('error', (error) => reject(failure(error, isSent && call.method !== 'GET')))
  outgoing.on('response', (incoming) => {
    readAnswer(incoming).then(resolve, (error: unknown) => reject(failure(error as Error, call.method !== 'GET')))
  })
  outgoing.end(body)
  return await promise
}

function failure(error: Error, mayHaveChanged: boolean): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const reason = error.name === 'TimeoutError' || code === 'ABORT_ERR' ? 'no answer in time' : code || error.message
  if (mayHaveChanged) return new AdminUnknown(`the admin endpoint broke off: ${reason}`, { cause: error })
  return new AdminUnreachable(`the admin endpoint cannot be reached: ${reason}`, { cause: error })
}

interface Target extends Omit<RequestOptions, 'headers'> {
  readonly headers: Readonly<Record<string, string>>
}

async function targetOf(address: AdminAddress): Promise<Target> {
  // Version 2.6 takes only an empty host over a socket, and later ones ignore it.
  if (address.kind === 'unix') return { socketPath: address.path, setHost: false, headers: { host: '' } }
  const host = isIP(address.host) === 0 ? await resolveAdminHost(address.host) : address.host
  const name = address.host.includes(':') ? `[${address.host}]` : address.host
  return { host, port: address.port, headers: { host: `${name}:${address.port}` } }
}

/** The name is resolved once, and the address that was checked is the one that is connected to. */
async function resolveAdminHost(name: string): Promise<string> {
  const addresses = await lookup(name, { all: true }).catch((error: unknown) => {
    throw new AdminUnreachable(`the name ${name} of the admin endpoint cannot be resolved`, { cause: error })
  })
  return nearestOf(name, addresses)
}

/** The first address of a name that may be an admin endpoint. Throws `AdminUnreachable` for a name that leads elsewhere. */
export function nearestOf(name: string, addresses: readonly { readonly address: string }[]): string {
  const near = addresses.find(({ address }) => isAdminHost(address))
  if (near === undefined)
    throw new AdminUnreachable(`${name} leads to no address of this machine or of a private network`)
  return near.address
}

async function readAnswer(incoming: IncomingMessage): Promise<AdminReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswer) throw new Error(`the answer is larger than ${maxAnswer} bytes`)
    chunks.push(chunk)
  }
  if (!incoming.complete) throw new Error('the answer broke off')
  const etag = incoming.headers.etag ?? incoming.trailers['etag']
  return { status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString(), etag }
}
