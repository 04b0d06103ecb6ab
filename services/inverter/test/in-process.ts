import { createFastTimers, createLog, type Log, type Timers } from '@hearth/runtime'
import {
  eventually,
  openInProcess,
  openSession,
  sendRequest,
  type InProcess,
  type Reply,
  type Sending,
  type SignedIn,
} from '@hearth/testing'
import { loadCatalog, type Catalog } from '../src/catalog/catalog.ts'
import { callControl } from '../src/command-line/control-socket.ts'
import { readConfig } from '../src/config.ts'
import type { DispatchStore } from '../src/dispatch/store.ts'
import { openService, type Service } from '../src/open-service.ts'
import type { SimulatorOptions } from '../src/simulator/simulator-options.ts'
import { startSimulator, type Simulator } from '../src/simulator/simulator.ts'

export type { Reply }
export type { SignedIn as Browser } from '@hearth/testing'

/** Options for starting a gateway. */
export interface Starting {
  readonly environment?: Record<string, string>
  /** Speed of time for the gateway and the inverter; 1 is real time. */
  readonly speed?: number
  readonly simulator?: Partial<SimulatorOptions>
  /** An existing data directory to use. */
  readonly folder?: string
  /** A running inverter; otherwise one is started. */
  readonly inverter?: Simulator
  readonly timers?: ReturnType<typeof createFastTimers>
  readonly wrapDispatchStore?: (store: DispatchStore) => DispatchStore
  /** Receives the log; silent if left out. */
  readonly log?: Log
  /** Members of the device `main` beside its address; null adds none. */
  readonly device?: Record<string, unknown> | null
}

/** The password of every administrator a test makes. */
export const testPassword = 'tall-giraffe-on-ice-7'

export const catalog: Catalog = loadCatalog()

/** A whole gateway in this process, on a real socket to a simulated inverter. */
export interface TestGateway extends AsyncDisposable {
  readonly service: Service
  readonly inverter: Simulator
  readonly timers: Timers & { jump(ms: number): void }
  readonly folder: string
  /** Tokens of both roles. */
  readonly tokens: { readonly read: string; readonly write: string }
  send(method: string, path: string, sending?: Sending): Promise<Reply>
  /** With the read/write token. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** As the command line: any admin route. Throws when it is refused. */
  operate(method: string, path: string, body?: unknown): Promise<unknown>
  /** Signs the administrator in, changing the generated password when that is still to be done. */
  signIn(from?: string): Promise<SignedIn>
  /** Switches write access on and approves metrics. */
  allowWriting(...names: string[]): Promise<void>
  /** Everything a dispatch needs on device `main`. */
  allowDispatch(): Promise<void>
  /** Waits until the device `main` has answered something. */
  isReady(): Promise<void>
  stop(): Promise<void>
}

const base = '/api/v1/devices/main'

/** The path of device `main`. */
export const main = (rest: string): string => `${base}${rest}`

export async function startGateway(starting: Starting = {}): Promise<TestGateway> {
  const timers = starting.timers ?? createFastTimers(starting.speed ?? 20)
  const inverter =
    starting.inverter ?? (await startSimulator({ port: 0, timers, catalog, seed: 1, ...starting.simulator }))
  const { wrapDispatchStore } = starting
  const running = await openInProcess(
    (folder) =>
      openService(readConfig({ DATA_DIR: folder, RATE_LIMIT_EXEMPT: '127.0.0.1', ...starting.environment }), {
        log: starting.log ?? createLog({ name: 'test', level: process.env['TEST_LOG'] ?? 'silent' }),
        timers,
        ...(wrapDispatchStore === undefined ? {} : { wrapDispatchStore }),
      }),
    starting.folder,
  )
  const gateway = new GatewayInProcess(running, { inverter, timers, ownsInverter: starting.inverter === undefined })
  await gateway.prepare(starting.device === undefined ? {} : starting.device)
  return gateway
}

class GatewayInProcess implements TestGateway {
  readonly service: Service
  readonly inverter: Simulator
  readonly timers: TestGateway['timers']
  readonly folder: string
  tokens = { read: '', write: '' }
  readonly #running: InProcess<Service>
  readonly #ownsInverter: boolean

  constructor(
    running: InProcess<Service>,
    { inverter, timers, ownsInverter }: Pick<TestGateway, 'inverter' | 'timers'> & { ownsInverter: boolean },
  ) {
    this.service = running.current
    this.folder = running.folder
    this.#running = running
    this.inverter = inverter
    this.timers = timers
    this.#ownsInverter = ownsInverter
  }

  async prepare(device: Record<string, unknown> | null): Promise<void> {
    const token = async (role: string) => {
      const made = await this.operate('POST', '/admin/api/tokens', { name: `test ${role}`, role })
      return (made as { token: string }).token
    }
    this.tokens = { read: await token('read'), write: await token('read_write') }
    const isNew = this.service.app.devices.find('main') === undefined
    if (device === null || !isNew) return
    const { port } = this.inverter
    await this.operate('POST', '/admin/api/devices', { device_id: 'main', host: '127.0.0.1', port, ...device })
  }

  send(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    return sendRequest(this.service.app.http, { method, path }, sending)
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.send(method, path, { token: this.tokens.write, body })
  }

  async operate(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await callControl(this.folder, { method, path, body })
    if (status >= 400) throw new Error(`${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async signIn(from?: string): Promise<SignedIn> {
    const { firstPassword } = this.service
    const open = (password: string) =>
      openSession(this.send.bind(this), '/admin/api/session', { username: 'admin', password, from })
    if (firstPassword !== undefined) {
      // Refused when an earlier call replaced it.
      const first = await open(firstPassword).catch(() => undefined)
      const body = { current_password: firstPassword, new_password: testPassword }
      await first?.send('POST', '/admin/api/session/password', { body })
    }
    return open(testPassword)
  }

  async allowWriting(...names: string[]): Promise<void> {
    await this.operate('PUT', '/admin/api/write-access', { enabled: true })
    await this.operate('PATCH', '/admin/api/parameters', { approve: names })
  }

  async allowDispatch(): Promise<void> {
    await this.allowWriting(...catalog.roles.dispatchRegisters)
    const limits = { max_charge_power_w: 3000, max_discharge_power_w: 3000 }
    await this.operate('PUT', '/admin/api/dispatch/devices/main', limits)
    const verified = { status: 'verified', verified_device_model: 'Simulator', verified_firmware: '1', note: 'tested' }
    const path = (name: string) => `/admin/api/dispatch/devices/main/capabilities/${name}`
    await this.operate('PUT', path('battery_power_sign_convention'), verified)
    await this.operate('PUT', path('grid_power_sign_convention'), verified)
    await this.operate('PUT', path('write_path_convention'), { ...verified, soc_strategy_external_code: 2 })
  }

  async isReady(): Promise<void> {
    const read = () => this.send('GET', '/api/v1/readiness', { token: this.tokens.read })
    await eventually(read, (reply) => reply.status === 200, { what: 'readiness', seconds: 20 })
  }

  stop(): Promise<void> {
    return this.#running.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#ownsInverter) await this.inverter.close()
    await this.#running[Symbol.asyncDispose]()
  }
}
