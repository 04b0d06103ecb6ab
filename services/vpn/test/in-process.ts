import { createLog, systemClock, type Clock } from '@hearth/runtime'
import {
  openInProcess,
  openSession,
  sendRequest,
  type InProcess,
  type Reply,
  type Sending,
  type SignedIn,
} from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openService, type Service } from '../src/open-service.ts'

export type { Reply }

/** The whole service in this process, with simulated tunnels, its own data directory and nothing mocked. */
export interface TestService extends AsyncDisposable {
  readonly service: Service
  readonly folder: string
  /** A full token of an administrator whose password is changed. */
  readonly admin: string
  send(method: string, path: string, sending?: Sending): Promise<Reply>
  /** As `send`, with the administrator's token. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  signIn(username: string, password: string, from?: string): Promise<SignedIn>
  /** A user with a password that needs no change. */
  addUser(username: string, role: 'admin' | 'user'): Promise<{ id: string; password: string }>
  token(browser: SignedIn, permissions: 'read-only' | 'full', more?: object): Promise<string>
  stop(): Promise<void>
}

/** The password of every account a test makes. */
export const testPassword = 'tall-giraffe-on-ice-7'

/**
 * Starts a service. Unless the caller says otherwise the loopback address is exempt from budgets, as an operator would exempt a
 * monitoring host, so that tests of other things are not about budgets.
 */
export async function startService(
  environment: Record<string, string> = {},
  given?: string,
  clock?: Clock,
): Promise<TestService> {
  const running = await openInProcess((folder) => {
    const config = readConfig({
      DATA_DIR: folder,
      WIREGUARD_BACKEND: 'simulated',
      RATE_LIMIT_EXEMPT: '127.0.0.1',
      // Nobody is there, and says so at once.
      DNS_UPSTREAMS: 'udp://127.0.0.1:9',
      ...environment,
    })
    return openService({ ...config, hostLookup: noHosts, clock }, createLog({ name: 'test', level: 'silent' }))
  }, given)
  const test = new ServiceInProcess(running)
  if (given === undefined) await test.prepare()
  return test
}

/** The clocks of the machine, which a test moves: `advance` moves both, `jump` only the wall clock. */
export function createMovedClock() {
  let [wall, steady] = [0, 0]
  return {
    now: () => systemClock.now() + wall,
    monotonic: () => systemClock.monotonic() + steady,
    advance(ms: number) {
      wall += ms
      steady += ms
    },
    jump(ms: number) {
      wall += ms
    },
  }
}

/** Nothing outside is looked up; lists and databases come from addresses. */
const noHosts = (host: string) => Promise.reject(new Error(`tests look nothing up: ${host}`))

class ServiceInProcess implements TestService {
  readonly service: Service
  readonly folder: string
  admin = ''
  readonly #running: InProcess<Service>

  constructor(running: InProcess<Service>) {
    this.service = running.current
    this.folder = running.folder
    this.#running = running
  }

  async prepare(): Promise<void> {
    const { firstPassword } = this.service
    if (firstPassword === undefined) return
    const first = await this.signIn('admin', firstPassword)
    const changed = await first.send('POST', '/api/session/password', {
      body: { current_password: firstPassword, new_password: testPassword },
    })
    if (changed.status !== 200) throw new Error(changed.text)
    this.admin = await this.token(await this.signIn('admin', testPassword), 'full')
  }

  send(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    return sendRequest(this.service.app.http, { method, path }, sending)
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.send(method, path, { token: this.admin, body })
  }

  signIn(username: string, password: string, from?: string): Promise<SignedIn> {
    return openSession(this.send.bind(this), '/api/session', { username, password, from })
  }

  async addUser(username: string, role: 'admin' | 'user'): Promise<{ id: string; password: string }> {
    const reply = await this.call('POST', '/api/users', {
      username,
      email: `${username}@example.org`,
      password: testPassword,
      role,
    })
    if (reply.status !== 201) throw new Error(reply.text)
    return { id: reply.body.data.id, password: testPassword }
  }

  async token(browser: SignedIn, permissions: 'read-only' | 'full', more: object = {}): Promise<string> {
    const reply = await browser.send('POST', '/api/session/tokens', { body: { name: 'test', permissions, ...more } })
    if (reply.status !== 201) throw new Error(reply.text)
    return reply.body.data.token
  }

  stop(): Promise<void> {
    return this.#running.stop()
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#running[Symbol.asyncDispose]()
  }
}
