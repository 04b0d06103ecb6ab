import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request, type RequestOptions } from 'node:https'
import { connect as connectHttp2, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { join } from 'node:path'
import type { TcpNetConnectOpts } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'
import { frame, StreamFrames } from '../src/dns/upstream/stream-frames.ts'
import { createAuthority, type TestAuthority } from './certificates.ts'
import { addressRecord, makeAnswer, makeQuery, readAnswer } from './dns-packets.ts'
import { startUpstream } from './dns-upstream.ts'
import { startService, type TestService } from './in-process.ts'

/** The host name of the tests' Private DNS. */
export const host = 'dns.home.test'

/** The addresses of a device, as the service shows them once. */
export interface DeviceAddresses {
  readonly secret: string
  readonly tls_host: string
  readonly https_url: string
  readonly apple_profile: string
  readonly file_name: string
}

/** Options of a connection, such as the address it comes from. */
type ClientOptions = ConnectionOptions & Partial<TcpNetConnectOpts>

/** An answer over HTTPS. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: Buffer
}

/** A service that answers outside the tunnels, on loopback, with the peers Phone and Laptop. */
export interface PrivateDnsFixture extends AsyncDisposable {
  readonly service: TestService
  readonly authority: TestAuthority
  readonly ports: { readonly tls: number; readonly https: number; readonly http: number }
  /** Ids of the peers. */
  readonly phone: string
  readonly laptop: string
  readonly files: { readonly certificate: string; readonly key: string }
  /** Puts another certificate in the place of the one before, for these names. */
  renew(names?: readonly string[]): Promise<void>
  make(peer: string): Promise<DeviceAddresses>
  /** A connection over TLS to this host name; none when undefined. */
  open(name: string | undefined, options?: ClientOptions): TLSSocket
  /** Asks over TLS for names; fewer addresses when the connection was closed before. */
  ask(name: string | undefined, domains: readonly string[], options?: ClientOptions): Promise<string[]>
  session(options?: ClientOptions): ClientHttp2Session
  /** A request of HTTP/1.1. */
  get(path: string, options?: RequestOptions, body?: Uint8Array): Promise<HttpAnswer>
}

const fixtureNames = [host, `*.${host}`] as const

/** Starts it and waits until it listens. */
export async function startPrivateDns(environment: Record<string, string> = {}): Promise<PrivateDnsFixture> {
  await using cleanup = new AsyncDisposableStack()
  const authority = cleanup.use(await createAuthority())
  const folder = cleanup.use(await temporaryDirectory('private-dns'))
  const upstream = cleanup.use(await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1')])))
  const files = { certificate: join(folder.path, 'cert.pem'), key: join(folder.path, 'key.pem') }
  const renew = async (names: readonly string[] = fixtureNames) => {
    const [first = host, ...more] = names
    const { cert, key } = await authority.issue(first, more)
    await writeFile(files.key, key, { mode: 0o600 })
    await writeFile(files.certificate, cert)
  }
  await renew()
  const ports = { tls: await freePort(), https: await freePort(), http: await freePort() }
  const service = cleanup.use(
    await startService({
      DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
      DNS_TLS_NAME: host,
      DNS_TLS_LISTEN: `127.0.0.1:${ports.tls}`,
      DNS_HTTPS_LISTEN: `127.0.0.1:${ports.https}`,
      DNS_HTTP_LISTEN: `127.0.0.1:${ports.http}`,
      DNS_TLS_CERTIFICATE: files.certificate,
      DNS_TLS_KEY: files.key,
      ...environment,
    }),
  )
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const add = async (name: string): Promise<string> =>
    (await service.call('POST', '/api/peers', { name, interface: 'wg0' })).body.data.id
  const [phone, laptop] = [await add('Phone'), await add('Laptop')]
  await eventually(
    async () => (await service.call('GET', '/api/dns/private')).body.data,
    ({ tls, https, certificate }) => certificate !== null && [...tls, ...https].every(({ error }) => error === null),
    { what: 'Private DNS that listens' },
  )
  const clients = clientsOf(authority, ports)
  const kept = cleanup.move()
  return {
    service,
    authority,
    ports,
    phone,
    laptop,
    files,
    renew,
    async make(peer) {
      const made = await service.call('POST', `/api/peers/${peer}/private-dns`)
      assert.equal(made.status, 201, made.text)
      const { data } = made.body
      // A new peer reaches the resolver after the request that made it is answered.
      await eventually(
        () => clients.ask(data.tls_host, ['ready.example']),
        (answers) => answers.length === 1,
        { what: 'an answer for the device' },
      )
      return { ...data, secret: data.tls_host.split('.')[0] }
    },
    ...clients,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function clientsOf({ ca }: TestAuthority, ports: PrivateDnsFixture['ports']) {
  const open = (name: string | undefined, options: ClientOptions = {}): TLSSocket => {
    const named = name === undefined ? { rejectUnauthorized: false } : { servername: name }
    const socket = connect({ host: '127.0.0.1', port: ports.tls, ca, ...named, ...options })
    socket.on('error', () => undefined)
    return socket
  }
  return {
    open,
    async ask(name: string | undefined, domains: readonly string[], options: ClientOptions = {}) {
      const socket = open(name, options)
      socket.setTimeout(10_000, () => socket.destroy())
      const frames = new StreamFrames()
      const answers: string[] = []
      const queries = domains.map((domain) => frame(makeQuery(domain)))
      socket.on('secureConnect', () => socket.write(Buffer.concat(queries)))
      socket.on('data', (piece: Buffer) => {
        for (const answer of frames.push(piece)) answers.push(readAnswer(answer).addresses[0] ?? '')
        if (answers.length === domains.length) socket.end()
      })
      await closed(socket)
      return answers
    },
    session(options: ClientOptions = {}) {
      const session = connectHttp2(`https://127.0.0.1:${ports.https}`, { ca, servername: host, ...options })
      session.on('error', () => undefined)
      return session
    },
    get(path: string, options: RequestOptions = {}, body?: Uint8Array) {
      const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
      const place = { host: '127.0.0.1', port: ports.https, servername: host, ca, agent: false as const, path }
      const sent = request({ ...place, ...options }, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
      return promise
    },
  }
}

/** Resolves when a connection is closed, with an error or without. */
export const closed = (connection: Pick<EventEmitter, 'once'>): Promise<void> =>
  new Promise((resolve) => void connection.once('close', () => resolve()))

/** A request of HTTP/2. */
export async function request2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: Uint8Array,
): Promise<HttpAnswer> {
  const stream = session.request(headers)
  const pieces: Buffer[] = []
  stream.on('data', (piece: Buffer) => pieces.push(piece))
  let answered: Record<string, unknown> = {}
  stream.on('response', (found: Record<string, unknown>) => (answered = found))
  stream.on('error', () => undefined)
  stream.end(body)
  await closed(stream)
  return { status: Number(answered[':status']), headers: answered, body: Buffer.concat(pieces) }
}

/** The path of a question over HTTPS by GET. */
export const pathOf = (secret: string, domain: string): string =>
  `/dns-query/${secret}?dns=${Buffer.from(makeQuery(domain)).toString('base64url')}`

/** The address in an answer. */
export const addressIn = (answer: HttpAnswer): string | undefined =>
  answer.status === 200 ? readAnswer(answer.body).addresses[0] : undefined
