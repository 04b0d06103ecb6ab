import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@hearth/runtime'
import { sendRequest, type Reply, type Sending } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openService, type Service } from '../src/open-service.ts'

export type { Reply }

/** A signed-in browser. */
export interface Browser {
  readonly cookie: string
  readonly csrf: string
  send(method: string, path: string, sending?: Sending): Promise<Reply>
}

/** The whole service in this process, with simulated tunnels, its own data directory and nothing mocked. */
export interface TestService extends AsyncDisposable {
  readonly service: Service
  readonly folder: string
  /** A full token of an administrator whose password is changed. */
  readonly admin: string
  send(method: string, path: string, sending?: Sending): Promise<Reply>
  /** As `send`, with the administrator's token. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  signIn(username: string, password: string, from?: string): Promise<Browser>
  /** A user with a password that needs no change. */
  addUser(username: string, role: 'admin' | 'user'): Promise<{ id: string; password: string }>
  token(browser: Browser, permissions: 'read-only' | 'full', more?: object): Promise<string>
  stop(): Promise<void>
}

/** The password of every account a test makes. */
export const testPassword = 'tall-giraffe-on-ice-7'

/**
 * Starts a service. Unless told otherwise the loopback address is exempt from budgets, as an operator would exempt a
 * monitoring host, so that tests of other things are not about budgets.
 */
export async function startService(environment: Record<string, string> = {}, given?: string): Promise<TestService> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'hearth-vpn-')))
  const config = readConfig({
    DATA_DIR: folder,
    WIREGUARD_BACKEND: 'simulated',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    // Nobody is there, and says so at once.
    DNS_UPSTREAMS: 'udp://127.0.0.1:9',
    ...environment,
  })
  const service = await openService({ ...config, hostLookup: noHosts }, createLog({ name: 'test', level: 'silent' }))
  const test = new InProcess(service, folder, given === undefined)
  await test.prepare()
  return test
}

/** Nothing outside is looked up; lists and databases come from addresses. */
const noHosts = (host: string) => Promise.reject(new Error(`tests look nothing up: ${host}`))

class InProcess implements TestService {
  readonly service: Service
  readonly folder: string
  admin = ''
  #isOpen = true
  readonly #ownsFolder: boolean

  constructor(service: Service, folder: string, ownsFolder: boolean) {
    this.service = service
    this.folder = folder
    this.#ownsFolder = ownsFolder
  }

  async prepare(): Promise<void> {
    const { firstPassword } = this.service
    if (firstPassword === undefined || !this.#ownsFolder) return
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

  async signIn(username: string, password: string, from = '127.0.0.1'): Promise<Browser> {
    const reply = await this.send('POST', '/api/session', { body: { username, password }, from })
    if (reply.status !== 200) throw new Error(`sign-in failed: ${reply.text}`)
    const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
    const csrf = reply.body.data.csrf_token as string
    return {
      cookie,
      csrf,
      send: (method, path, sending = {}) =>
        this.send(method, path, { from, ...sending, headers: { cookie, 'x-csrf-token': csrf, ...sending.headers } }),
    }
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

  async token(browser: Browser, permissions: 'read-only' | 'full', more: object = {}): Promise<string> {
    const reply = await browser.send('POST', '/api/session/tokens', { body: { name: 'test', permissions, ...more } })
    if (reply.status !== 201) throw new Error(reply.text)
    return reply.body.data.token
  }

  async stop(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.service.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#ownsFolder) await rm(this.folder, { recursive: true, force: true })
  }
}
