import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { request as requestHttp, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { eventually, freePort, temporaryDirectory, unpackedPackage } from '@hearth/testing'
import { portReopened } from './reopened-port.ts'

/** Options of a request to a site. */
export interface GetOptions {
  /** Over TLS, with the host as server name, and without a look at who signed. */
  readonly https?: boolean
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Nothing has changed since the last request: the listeners, whose table takes long to read, are not looked at again. */
  readonly isSettled?: boolean
  /** More of `node:tls`: highest version, client certificate, another server name. */
  readonly tls?: Pick<ConnectionOptions, 'maxVersion' | 'minVersion' | 'cert' | 'key' | 'servername'>
}

/** The answer to a request. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly raw: Buffer
  /** The certificate of an HTTPS answer: names it is good for, who signed it. */
  readonly certificate?: { readonly names: string; readonly issuer: string }
}

/** A Caddy of one's own, on free loopback ports, with its admin socket and all its files in a directory that goes with it. */
export interface RealCaddy extends AsyncDisposable {
  /** The admin endpoint as `node:http` takes it (`socketPath`). */
  readonly socket: string
  /** The same in Caddy's notation, for `admin.listen`. */
  readonly adminListen: string
  readonly httpPort: number
  readonly httpsPort: number
  /** For storage, logs and static files. */
  readonly directory: string
  readonly pid: number
  /** Posts a whole configuration. 200, or the status and text of Caddy's refusal. */
  load(config: object): Promise<{ status: number; error: string }>
  /** The configuration that runs. */
  config(): Promise<unknown>
  /** Any other call of the admin API. */
  admin(method: string, path: string, body?: { type: string; text: string }): Promise<Answer>
  /** Asks a site, as soon as only the newest configuration listens. */
  get(host: string, path: string, options?: GetOptions): Promise<Answer>
  stop(): Promise<void>
}

/** Why there is no such Caddy on this machine, or undefined. */
export function caddyObstacle(binary = '/usr/bin/caddy'): string | undefined {
  return existsSync(binary) ? undefined : `${binary} is not there`
}

/** A newer Caddy for tests: the program CADDY_2_11_PATH names, or the one that set-up of the checks has unpacked. */
export function newCaddy(): string {
  return process.env['CADDY_2_11_PATH'] ?? join(unpackedPackage('caddy'), 'usr/bin/caddy')
}

/** Why the tests with a newer Caddy are left out, or undefined. */
export function newCaddyObstacle(): string | undefined {
  return existsSync(newCaddy())
    ? undefined
    : `${newCaddy()} is not there: npm test fetches it from Debian's unstable suite where that can be reached`
}

/** Starts a Caddy without sites. It ends with `stop()`, by its process id. `environment` is all it sees beside PATH and its home. */
export async function startCaddy(
  binary = '/usr/bin/caddy',
  environment: Readonly<Record<string, string>> = {},
): Promise<RealCaddy> {
  const folder = await temporaryDirectory('caddy')
  await chmod(folder.path, 0o755)
  const socket = join(folder.path, 'admin.sock')
  const { child, log } = launch(binary, { ...environment, ...homeOf(folder.path) }, `unix/${socket}`)
  const admin = (method: string, path: string, body?: { type: string; text: string }) => {
    const headers = { Host: '', ...(body && { 'Content-Type': body.type }) }
    const call = () => send({ socketPath: socket, method, path, setHost: false, headers }, { body: body?.text })
    return againWhileReloading(call, method)
  }
  const stop = async () => {
    const isGone = child.exitCode !== null || child.signalCode !== null
    if (!isGone) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await folder[Symbol.asyncDispose]()
  }
  await eventually(
    () => admin('GET', '/config/'),
    ({ status }) => status === 200,
    { what: 'an answer of Caddy' },
  ).catch(async (error: unknown) => {
    await stop()
    throw new Error(`Caddy did not start: ${log()}`, { cause: error })
  })
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  return {
    socket,
    adminListen: `unix/${socket}`,
    httpPort,
    httpsPort,
    directory: folder.path,
    pid: child.pid ?? 0,
    admin,
    load: (config) => loadConfig(admin, JSON.stringify(config)),
    config: async () => JSON.parse((await admin('GET', '/config/')).text) as unknown,
    get: async (host, path, options = {}) => {
      const port = options.https ? httpsPort : httpPort
      if (options.isSettled !== true) await portReopened(port)
      return againWhileHandedOver(() => getPage({ host, path, port }, options), options.method)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/**
 * Each new configuration makes Caddy open its admin socket anew; whoever calls in between finds nobody there. What was not taken,
 * or changes nothing, is sent again.
 */
async function againWhileReloading<T>(call: () => Promise<T>, method: string): Promise<T> {
  const harmless = new Set(['ENOENT', 'ECONNREFUSED', ...(method === 'GET' ? ['ECONNRESET'] : [])])
  const attempt = async (): Promise<{ answer: T } | { error: unknown }> => {
    try {
      return { answer: await call() }
    } catch (error) {
      if (harmless.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      return { error }
    }
  }
  const outcome = await eventually(attempt, () => true, { everyMs: 10, what: 'an answer of the admin socket' })
  if ('error' in outcome) throw outcome.error
  return outcome.answer
}

/** A listener that a new configuration hands over may lose a connection in that moment; what only reads is sent again, twice. */
async function againWhileHandedOver<T>(call: () => Promise<T>, method = 'GET'): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const isLost = ['ECONNRESET', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (attempt === 3 || !isLost || method !== 'GET') throw error
      await pause(100)
    }
  }
}

function homeOf(path: string): Record<string, string> {
  return { HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path }
}

function launch(
  binary: string,
  environment: Record<string, string>,
  listen: string,
): { child: ChildProcess; log: () => string } {
  const config = { admin: { listen }, apps: { pki: { certificate_authorities: { local: { install_trust: false } } } } }
  const child = spawn(binary, ['run', '--config', '-'], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr?.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-8000)))
  child.on('error', (error) => (log += error.message))
  child.stdin?.end(JSON.stringify(config))
  return { child, log: () => log }
}

/**
 * A load that meets a certificate which Caddy is just storing is refused for that alone, and a connection may end when the load
 * before it closes its admin socket. Both are sent again; the same configuration loaded twice is what one load is.
 */
async function loadConfig(admin: RealCaddy['admin'], config: string): Promise<{ status: number; error: string }> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await admin('POST', '/load', { type: 'application/json', text: config }).catch(
      (failure: unknown) => {
        if (attempt === 5 || (failure as NodeJS.ErrnoException).code !== 'ECONNRESET') throw failure
        return undefined
      },
    )
    if (answer !== undefined) {
      const error = answer.status === 200 ? '' : (JSON.parse(answer.text) as { error: string }).error
      if (attempt === 5 || !error.includes('decoding certificate metadata')) return { status: answer.status, error }
    }
    await pause(200)
  }
}

/** A host as a page's address has it; the port of the listener is not part of it, as behind a forwarded port 80. */
function getPage(at: { host: string; path: string; port: number }, options: GetOptions): Promise<Answer> {
  const { https = false, method = 'GET', headers = {}, body, tls = {} } = options
  const isAddress = /^[\d.]+$|:/.test(at.host)
  const common = { host: '127.0.0.1', port: at.port, path: at.path, method, headers: { Host: at.host, ...headers } }
  if (!https) return send(common, { body })
  const name = isAddress ? {} : { servername: at.host }
  return send({ ...common, rejectUnauthorized: false, ...name, ...tls }, { body, https })
}

type Outgoing = RequestOptions & ConnectionOptions

function send(
  options: Outgoing,
  { body, https = false }: { body?: string | Buffer | undefined; https?: boolean },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = (https ? requestHttps : requestHttp)({ ...options, agent: false, timeout: 20_000 }, (response) => {
    const parts: Buffer[] = []
    const peer = (response.socket as Partial<TLSSocket>).getPeerCertificate?.()
    const certificate = peer && { names: peer.subjectaltname ?? '', issuer: String(peer.issuer?.CN) }
    response.on('data', (part: Buffer) => parts.push(part))
    response.on('error', reject)
    response.on('end', () => {
      const raw = Buffer.concat(parts)
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, raw, text: raw.toString(), ...(certificate && { certificate }) })
    })
  })
  request.on('timeout', () => request.destroy(new Error('no answer within 20 s')))
  request.on('error', reject)
  request.end(body)
  return promise
}
