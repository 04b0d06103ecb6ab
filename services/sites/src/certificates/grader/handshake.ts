import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** Target of a handshake: the address, and the host it is for. */
export interface HandshakeTarget {
  readonly address: string
  readonly port: number
  /** Host of the site, sent as the server name. */
  readonly host: string
  /** Roots that are trusted, PEM; the runtime's own when missing. */
  readonly roots?: readonly string[] | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Limits of a handshake. */
export type HandshakeLimits = Pick<ConnectionOptions, 'minVersion' | 'maxVersion' | 'ciphers' | 'ecdhCurve'>

/** Outcome of a handshake. */
export type Handshake =
  | {
      readonly kind: 'done'
      readonly certificate: X509Certificate
      readonly cipher: string
      /** Bits of a finite-field key exchange. */
      readonly dhBits: number | undefined
      /** Name of the group the keys were exchanged in, where there was one. */
      readonly group: string | undefined
      readonly distrust: string | undefined
      readonly isNameRight: boolean
      readonly hasOcspStaple: boolean
    }
  /** The server answered and did not agree: not this version, suite, group or name. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing was learned about the server's TLS. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/**
 * One handshake with the site's name; the connection ends with it. Accepts any certificate and evaluates it later, so that a
 * bad one is an observation and not an error. Never rejects.
 */
export function shakeHands(target: HandshakeTarget, limits: HandshakeLimits = {}): Promise<Handshake> {
  if (target.signal?.aborted === true) return Promise.resolve(unreachable('the time ran out'))
  return new Promise((resolve) => {
    let isConnected = false
    let hasOcspStaple = false
    const socket = connect({ ...optionsOf(target), ...limits })
    const end = (outcome: Handshake) => {
      clearTimeout(timer)
      target.signal?.removeEventListener('abort', onAbort)
      socket.destroy()
      resolve(outcome)
    }
    const onAbort = () => end(unreachable('the time ran out'))
    const timer = setTimeout(() => end(unreachable('no answer in time')), target.timeoutMs)
    target.signal?.addEventListener('abort', onAbort, { once: true })
    socket.on('connect', () => (isConnected = true))
    socket.on('OCSPResponse', (answer: Buffer | null) => (hasOcspStaple = (answer?.length ?? 0) > 0))
    socket.on('secureConnect', () => end(outcomeOf(socket, target.host, hasOcspStaple)))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const reason = reasonOf(error)
      end(isConnected ? { kind: 'refused', reason } : unreachable(reason))
    })
  })
}

function optionsOf({ address, port, host, roots }: HandshakeTarget): ConnectionOptions {
  return {
    host: address,
    port,
    servername: serverNameOf(host),
    rejectUnauthorized: false,
    requestOCSP: true,
    checkServerIdentity: () => undefined,
    ...(roots === undefined ? {} : { ca: [...roots] }),
  }
}

function outcomeOf(socket: TLSSocket, host: string, hasOcspStaple: boolean): Handshake {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return { kind: 'refused', reason: 'the server showed no certificate' }
  const exchange = socket.getEphemeralKeyInfo()
  const isFiniteField = exchange !== null && 'type' in exchange && exchange.type === 'DH'
  return {
    kind: 'done',
    certificate,
    cipher: socket.getCipher().name,
    dhBits: isFiniteField ? exchange.size : undefined,
    group: exchange !== null && 'name' in exchange ? exchange.name : undefined,
    distrust: socket.authorized ? undefined : codeOf(socket.authorizationError),
    isNameRight: checkServerIdentity(probeName(host), certificate.toLegacyObject()) === undefined,
    hasOcspStaple,
  }
}

const unreachable = (reason: string): Handshake => ({ kind: 'unreachable', reason })

/** The runtime gives the code itself where its types promise an error. */
const codeOf = (error: unknown): string =>
  typeof error === 'string' ? error : ((error as NodeJS.ErrnoException | undefined)?.code ?? 'UNTRUSTED')

const reasonOf = (error: NodeJS.ErrnoException & { reason?: string }): string =>
  (error.reason ?? error.code ?? 'the connection broke').slice(0, 200)

/** Returns the name that a probe requests: under a wildcard, any name will do. */
export const probeName = (host: string): string => (host.startsWith('*.') ? `hearth-check${host.slice(1)}` : host)

/** Returns the server name indication for a host; empty for an address. */
export const serverNameOf = (host: string): string => (isIP(host) === 0 ? probeName(host) : '')

/** Does the work on every item, at most `bound` at a time; the results are in the order of the items. `work` must not reject. */
export async function atMost<Item, Result>(
  bound: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>()
  const queue = items.entries()
  const drain = async () => {
    for (const [index, item] of queue) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, drain))
  return items.map((_, index) => results.get(index) as Result)
}
