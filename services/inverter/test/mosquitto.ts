import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually, freePort, selfSignedCertificate, temporaryDirectory } from '@hearth/testing'
import { systemTimers } from '@hearth/runtime'
import { openBroker, type BrokerAddress, type IncomingMessage } from '../src/mqtt/broker/broker-connection.ts'

const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find(existsSync)

/** Reason why there is no broker for a test; false when there is one. */
export const mosquittoObstacle = (): string | false => (program === undefined ? 'mosquitto is not installed' : false)

/** Options of a broker. */
export interface BrokerOptions {
  /** TLS with a certificate of its own for `localhost`, and with `wantsCertificate` only for clients that have one too. */
  readonly tls?: { readonly wantsCertificate?: boolean }
  /** A user who must sign in; anyone may connect without it. */
  readonly user?: { readonly name: string; readonly password: string }
  /** Rules of an access list, such as `topic readwrite hearth/#`. */
  readonly acl?: readonly string[]
  readonly settings?: readonly string[]
}

/** A mosquitto on loopback that a test may stop, start and freeze. */
export interface Broker extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** Certificate that the broker is checked with; a client certificate and its key. */
  readonly certificates: { readonly ca: string; readonly client: string; readonly clientKey: string }
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the process without ending it: connections stay open and nothing is answered. */
  freeze(): void
  thaw(): void
  /** A client of the test that hears everything. */
  listen(filter?: string): Promise<Listener>
}

/** Everything that was published while a test listens. */
export interface Listener extends AsyncDisposable {
  readonly messages: readonly { topic: string; text: string; isRetained: boolean }[]
  /** The newest payload of each topic; one that was deleted is gone. */
  state(): ReadonlyMap<string, string>
  publish(topic: string, payload: string | Buffer, isRetained?: boolean): Promise<void>
}

/** Starts a broker on a free port. */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  if (program === undefined) throw new Error('mosquitto is not installed')
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory())
  const port = await freePort()
  const server = selfSignedCertificate('localhost')
  const client = selfSignedCertificate('hearth')
  await writeConfiguration(folder.path, { options, port, server, client })
  let child = await run(program, { folder: folder.path, port })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
  }
  cleanup.defer(stop)
  const resources = cleanup.move()
  const certificates = { ca: server.certificate, client: client.certificate, clientKey: client.key }
  const url = options.tls === undefined ? `mqtt://127.0.0.1:${port}` : `mqtts://localhost:${port}`
  const address: BrokerAddress = {
    url,
    username: options.user?.name ?? '',
    password: options.user?.password ?? '',
    caCertificate: options.tls === undefined ? '' : server.certificate,
    clientCertificate: options.tls?.wantsCertificate === true ? client.certificate : '',
    clientKey: options.tls?.wantsCertificate === true ? client.key : '',
  }
  return {
    port,
    url,
    certificates,
    stop,
    async start() {
      child = await run(program, { folder: folder.path, port })
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    listen: (filter = '#') => listen(address, filter),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

interface Configuration {
  readonly options: BrokerOptions
  readonly port: number
  readonly server: { key: string; certificate: string }
  readonly client: { key: string; certificate: string }
}

async function writeConfiguration(folder: string, { options, port, server, client }: Configuration): Promise<void> {
  const { tls, user, acl, settings = [] } = options
  await mkdir(folder, { recursive: true })
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const lines = [`listener ${port} 127.0.0.1`, 'persistence false', 'user root', ...settings]
  if (tls !== undefined) {
    lines.push(`certfile ${await file('server.pem', server.certificate)}`)
    lines.push(`keyfile ${await file('server.key', server.key)}`)
    if (tls.wantsCertificate === true)
      lines.push(`cafile ${await file('client.pem', client.certificate)}`, 'require_certificate true')
  }
  if (user === undefined) lines.push('allow_anonymous true')
  else {
    const passwords = await file('passwords', `${user.name}:${user.password}\n`)
    execFileSync('mosquitto_passwd', ['-U', passwords])
    lines.push('allow_anonymous false', `password_file ${passwords}`)
  }
  if (acl !== undefined) lines.push(`acl_file ${await file('acl', `${acl.join('\n')}\n`)}`)
  await file('mosquitto.conf', `${lines.join('\n')}\n`)
}

async function run(program: string, { folder, port }: { folder: string; port: number }): Promise<ChildProcess> {
  const child = spawn(program, ['-c', join(folder, 'mosquitto.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr?.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-4000)
  })
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      if (child.exitCode !== null) throw new Error(`mosquitto ended: ${errors}`)
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  await eventually(isUp, (up) => up, { what: `mosquitto at ${port}` })
  return child
}

async function listen(address: BrokerAddress, filter: string): Promise<Listener> {
  const messages: { topic: string; text: string; isRetained: boolean }[] = []
  const state = new Map<string, string>()
  const onMessage = ({ topic, payload, isRetained }: IncomingMessage) => {
    const text = payload.toString()
    messages.push({ topic, text, isRetained })
    if (text === '') state.delete(topic)
    else state.set(topic, text)
  }
  const will = { topic: 'test/will', payload: '', isRetained: false, qos: 0 } as const
  const connection = await openBroker({ address, timers: systemTimers, will, onMessage })
  await connection.subscribe(filter)
  return {
    messages,
    state: () => state,
    publish: (topic, payload, isRetained = false) =>
      connection.publish({ topic, payload: payload as string, isRetained, qos: 1 }),
    [Symbol.asyncDispose]: () => connection.end(),
  }
}
