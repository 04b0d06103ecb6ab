import { listenAt } from '@hearth/service'
import { createLog, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import type { Session, User } from '../src/accounts/schema.ts'
import { readConfig, type Config } from '../src/config.ts'
import { openService, type Service } from '../src/open-service.ts'
import { createBrowser, type Browser } from './browser.ts'
import { freePort } from './free-port.ts'

export type { Browser } from './browser.ts'

/** The password of every account a test makes. */
export const testPassword = 'tall-giraffe-on-ice-7'

/** How a test wants its service. */
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
  /** Where its Caddy serves plain HTTP and HTTPS. */
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
  const place = folder === undefined ? await temporaryDirectory('sites') : undefined
  const dataDirectory = folder ?? place?.path ?? ''
  const silent = createLog({ name: 'test', level: process.env['TEST_LOG'] ?? 'silent' })
  const places: Record<string, string> = caddy
    ? { CADDY_HTTP_PORT: String(await freePort()), CADDY_HTTPS_PORT: String(await freePort()) }
    : { CADDY_ADMIN: 'http://127.0.0.1:9' }
  const open = async (more: Readonly<Record<string, string>>) => {
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
    return { config, service, url: await listenAt(service.app.http, { host: '127.0.0.1', port: 0 }) }
  }
  return new InProcess(await open({}), { folder: dataDirectory, open, dispose: place })
}

interface Started {
  readonly config: Config
  readonly service: Service
  readonly url: string
}

type Open = (environment: Readonly<Record<string, string>>) => Promise<Started>

class InProcess implements Sites {
  #started: Started
  readonly #open: Open
  readonly #place: AsyncDisposable | undefined
  readonly folder: string

  get caddyPorts(): readonly [number, number] {
    const { httpPort, httpsPort } = this.#started.config.caddy
    return [httpPort, httpsPort]
  }

  constructor(started: Started, more: { folder: string; open: Open; dispose: AsyncDisposable | undefined }) {
    this.#started = started
    this.folder = more.folder
    this.#open = more.open
    this.#place = more.dispose
  }

  get url(): string {
    return this.#started.url
  }

  get service(): Service {
    return this.#started.service
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

  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.service.close()
    this.#started = await this.#open(environment)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close()
    await this.#place?.[Symbol.asyncDispose]()
  }
}

function expect<T>({ status, body }: { status: number; body: T }, wanted: number): T {
  if (status !== wanted) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body
}
