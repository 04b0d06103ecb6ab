import { listenAt } from '@hearth/service'
import { createLog, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { freePort, openInProcess, type InProcess } from '@hearth/testing'
import type { Session, User } from '../src/accounts/schema.ts'
import { readConfig, type Config } from '../src/config.ts'
import { openService, type Service } from '../src/open-service.ts'
import { createBrowser, type Browser } from './browser.ts'
import { newCaddy } from './real-caddy.ts'

export type { Browser } from './browser.ts'

/** The password of every account a test makes. */
export const testPassword = 'tall-giraffe-on-ice-7'

/** Options of the service under test. */
export interface SitesOptions {
  /** Data of an earlier service; a folder of its own when left out. */
  readonly folder?: string
  readonly timers?: Timers
  readonly log?: Log
  /** Starts a real Caddy for it; without one it manages a Caddy that is not there. */
  readonly caddy?: boolean
}

/** The whole service in this process, on loopback, with its own data and nothing mocked. */
export interface Sites extends AsyncDisposable {
  readonly url: string
  readonly service: Service
  readonly folder: string
  /** Ports at which its Caddy serves plain HTTP and HTTPS. */
  readonly caddyPorts: readonly [number, number]
  /** A browser nobody has signed in with. */
  browser(): Browser
  /** Makes the administrator `admin` at the first call; returns a browser in which it is signed in. */
  signIn(): Promise<Browser>
  signInAs(username: string, password?: string): Promise<Browser>
  /** Makes an account with `testPassword`. */
  addUser(username: string, role: 'user' | 'admin'): Promise<User>
  /** Ends the service and starts it again on the same data. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>
}

/**
 * Starts the service. Loopback is a trusted proxy, so that a test says by `from` where a call comes from; every other call
 * comes from an address of its own.
 */
export async function startSites(
  environment: Readonly<Record<string, string>> = {},
  { folder, timers = systemTimers, log, caddy = false }: SitesOptions = {},
): Promise<Sites> {
  const silent = createLog({ name: 'test', level: process.env['TEST_LOG'] ?? 'silent' })
  const places: Record<string, string> = caddy
    ? { ...chosenCaddy(), CADDY_HTTP_PORT: String(await freePort()), CADDY_HTTPS_PORT: String(await freePort()) }
    : { CADDY_ADMIN: 'http://127.0.0.1:9' }
  const open = async (dataDirectory: string, more: Readonly<Record<string, string>>) => {
    const config = readConfig({
      BIND_PORT: '0',
      // Nobody of a test's asks the real one.
      SSLLABS_BASE_URL: 'http://127.0.0.1:9',
      DATA_DIR: dataDirectory,
      TRUSTED_PROXIES: '127.0.0.1',
      ...places,
      ...environment,
      ...more,
    })
    const service = await openService(config, log ?? silent, timers)
    const url = await listenAt(service.app.http, { host: '127.0.0.1', port: 0 })
    return { config, service, url, close: () => service.close() }
  }
  return new SitesInProcess(await openInProcess(open, folder))
}

/** The newer Caddy for `TEST_CADDY=newest npm test -- …`; otherwise the one of the system. */
const chosenCaddy = (): Record<string, string> =>
  process.env['TEST_CADDY'] === 'newest' ? { CADDY_PATH: newCaddy() } : {}

interface Started {
  close(): Promise<void>
  readonly config: Config
  readonly service: Service
  readonly url: string
}

class SitesInProcess implements Sites {
  readonly #running: InProcess<Started>
  readonly folder: string

  constructor(running: InProcess<Started>) {
    this.#running = running
    this.folder = running.folder
  }

  get caddyPorts(): readonly [number, number] {
    const { httpPort, httpsPort } = this.#running.current.config.caddy
    return [httpPort, httpsPort]
  }

  get url(): string {
    return this.#running.current.url
  }

  get service(): Service {
    return this.#running.current.service
  }

  browser(): Browser {
    return createBrowser(() => this.url)
  }

  async signIn(): Promise<Browser> {
    const token = this.service.setUpToken()
    if (token === undefined) return this.signInAs('admin')
    const browser = this.browser()
    const json = { token, username: 'admin', password: testPassword }
    expect(await browser.json<Session>('POST', '/api/setup', { json }), 200)
    return browser
  }

  async signInAs(username: string, password = testPassword): Promise<Browser> {
    const browser = this.browser()
    expect(await browser.json<Session>('POST', '/api/session', { json: { username, password } }), 200)
    return browser
  }

  async addUser(username: string, role: 'user' | 'admin'): Promise<User> {
    const json = { username, password: testPassword, role }
    return expect(await (await this.signIn()).json<User>('POST', '/api/users', { json }), 201)
  }

  restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#running.restart(environment)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#running[Symbol.asyncDispose]()
  }
}

function expect<T>({ status, body }: { status: number; body: T }, wanted: number): T {
  if (status !== wanted) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body
}
