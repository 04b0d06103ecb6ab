import { mkdirSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createFastTimers, createLog } from '@hearth/runtime'
import { callControl } from '../src/command-line/control-socket.ts'
import { readConfig } from '../src/config.ts'
import type { DispatchStore } from '../src/dispatch/store.ts'
import { openStorage } from '../src/database/open.ts'
import { openService } from '../src/open-service.ts'
import { writeSetting } from '../src/settings/store.ts'

/**
 * Gateways in one process that ends like in a power failure. Each opens its data directory as it finds it, restores what an
 * earlier life left behind, and lives a life up to its own point: there it stands still, and when all of them do the process is
 * killed. Run by the crash matrix as `node killed-gateways.ts SPEED NOW CONFIGS`; what it prints is for that.
 */
export interface GatewayConfig {
  readonly folder: string
  readonly life: keyof typeof lives
  /** Point at which it freezes: before or after the nth time it persists something. */
  readonly nth: number
  readonly when: 'before' | 'after'
}

type Dispatch = Record<string, unknown>

const [speed = '25', now = '0', configs = '[]'] = process.argv.slice(2)
const timers = createFastTimers(Number(speed), Number(now))
const never = () => new Promise<never>(() => undefined)

/** One gateway and how far it got. */
class KilledGateway {
  readonly #config: GatewayConfig
  readonly #number: number
  readonly #end = Promise.withResolvers<void>()
  #isCounting: boolean
  /** Persisted records, oldest first: true if one announced a write. */
  readonly announced: boolean[] = []
  isFrozen = false

  constructor(config: GatewayConfig, number: number) {
    this.#config = config
    this.#number = number
    this.#isCounting = config.life === 'recover'
  }

  async open(): Promise<void> {
    const config = readConfig({ DATA_DIR: this.#config.folder, RATE_LIMIT_EXEMPT: '127.0.0.1' })
    const log = createLog({ name: 'gateway', level: 'silent' })
    await this.#pausePlans(config)
    await openService(config, { log, timers, wrapDispatchStore: (store) => this.#wrap(store) })
  }

  /** A plan that an earlier life left is not carried out again, so that what the restore did can be seen. */
  async #pausePlans(config: ReturnType<typeof readConfig>): Promise<void> {
    const { database } = await openStorage(config)
    await writeSetting(database.query, 'plan_pause', timers.now() + 86_400_000)
    await database.close()
  }

  /** Writes prices, lets a plan be made of them, and waits for its first step. */
  async plan(): Promise<void> {
    const begin = Math.floor(timers.now() / 3_600_000) * 3_600_000
    const price = (hour: number) => (hour < 4 ? 0.02 : hour < 10 ? 0.9 : 0.3)
    const line = (_: unknown, hour: number) => `${new Date(begin + hour * 3_600_000).toISOString()},${price(hour)}\n`
    mkdirSync(join(this.#config.folder, 'plans'), { recursive: true })
    writeFileSync(join(this.#config.folder, 'plans', 'prices.csv'), Array.from({ length: 30 }, line).join(''))
    await this.configurePlans({ enabled: true, carries_out: true, price_source: 'file', capacity_wh: 9600 })
    await this.administer('PUT', '/devices/main/pause', { until: null })
    await this.until(({ state }) => state === 'charging')
  }

  async configurePlans(changes: Record<string, unknown>): Promise<void> {
    const { settings } = (await this.administer('GET', '')) as { settings: Record<string, unknown> }
    const { has_key: _key, ...values } = settings
    await this.administer('PUT', '', { ...values, ...changes })
  }

  async administer(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, text } = await callControl(this.#config.folder, { method, path: `/admin/api/plan${path}`, body })
    if (status !== 200) throw new Error(`${JSON.stringify(this.#config)} ${method} ${path}: ${text}`)
    return JSON.parse(text)
  }

  /** Resolves when the settings are restored, or the crash point was reached. */
  async recover(): Promise<void> {
    await Promise.race([this.until(({ state }) => state === 'idle'), this.#end.promise])
    this.#isCounting = true
  }

  /** Resolves when the run is over or the crash point was reached. */
  async live(): Promise<void> {
    if (!this.isFrozen) await Promise.race([lives[this.#config.life](this), this.#end.promise])
    this.#isCounting = false
  }

  async call(method: string, body?: unknown): Promise<Dispatch> {
    const path = '/api/v1/devices/main/battery/dispatch'
    const { status, text } = await callControl(this.#config.folder, { method, path, body })
    if (status !== 200) throw new Error(`${JSON.stringify(this.#config)} ${method}: ${text}`)
    return JSON.parse(text) as Dispatch
  }

  /** Tries again when this machine was too slow for its fast time, so that the device seemed not to answer. */
  async start(mode: string, more: Dispatch): Promise<void> {
    const body = () => ({ mode, valid_until: new Date(timers.now() + 3_600_000).toISOString(), ...more })
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.call('POST', body())
        return
      } catch (error) {
        if (attempt === 5) throw error
        await this.until(({ state }) => state === 'idle')
      }
    }
  }

  async until(isGood: (dispatch: Dispatch) => boolean): Promise<void> {
    for (let look = 0; look < 1000 && !this.isFrozen; look += 1) {
      if (isGood(await this.call('GET'))) return
      await timers.delay(250)
    }
  }

  /** Sets the grid power of the house, watts. */
  setGrid(watts: number): void {
    process.stdout.write(`grid ${this.#number} ${watts}\n`)
  }

  stopHere(): void {
    this.isFrozen = true
    this.#end.resolve()
  }

  #wrap(store: DispatchStore): DispatchStore {
    const { nth, when } = this.#config
    const dieIf = async (point: GatewayConfig['when']) => {
      const isHere = this.#isCounting && this.announced.length === nth && point === when
      if (isHere) this.stopHere()
      if (this.isFrozen) await never()
    }
    return {
      ...store,
      save: async (deviceId, row) => {
        if (this.#isCounting) this.announced.push(/"(?:status|write)":"sent"/.test(row.record))
        await dieIf('before')
        await store.save(deviceId, row)
        await dieIf('after')
      },
    }
  }
}

const charging = { target_soc_percent: 90, max_power_w: 2000 }

/** Makes the loop command another power, because the load of the house changes. */
async function follow(gateway: KilledGateway, watts: number): Promise<void> {
  const before = (await gateway.call('GET'))['commanded_power_w']
  gateway.setGrid(watts)
  await gateway.until((dispatch) => dispatch['commanded_power_w'] !== before)
  gateway.setGrid(100)
}

const lives = {
  async charge(gateway: KilledGateway) {
    await gateway.start('charge_from_grid', charging)
    await gateway.call('DELETE')
  },
  async everything(gateway: KilledGateway) {
    await gateway.start('charge_from_grid', charging)
    await gateway.start('discharge_to_load', { target_soc_percent: 20, max_power_w: 3000 })
    gateway.setGrid(100)
    await follow(gateway, 1200)
    await follow(gateway, -500)
    await gateway.call('DELETE')
  },
  /** A plan charges, is changed by hand so that it holds, and is switched off. */
  async plan(gateway: KilledGateway) {
    await gateway.plan()
    const [start, end] = [0, 7_200_000].map((ms) => new Date(timers.now() + ms).toISOString())
    await gateway.administer('PUT', '/devices/main/choices', { choices: [{ start, end, action: 'hold' }] })
    await gateway.until(({ state }) => state === 'holding')
    await gateway.configurePlans({ enabled: false, carries_out: false })
  },
  /** Leaves an operation behind for the next life. */
  async leave(gateway: KilledGateway) {
    await gateway.start('charge_from_grid', charging)
    gateway.stopHere()
  },
  /** Only restores what is left, and counts the writes. */
  recover: () => Promise.resolve(),
}

async function main(): Promise<void> {
  const gateways = (JSON.parse(configs) as GatewayConfig[]).map((config, number) => new KilledGateway(config, number))
  for (const gateway of gateways) await gateway.open()
  await Promise.all(gateways.map((gateway) => gateway.recover()))
  const mayGoOn = new Promise((resolve) => process.stdin.once('data', resolve))
  process.stdout.write('recovered\n')
  await mayGoOn
  await Promise.all(gateways.map((gateway) => gateway.live()))
  process.stdout.write(`done ${JSON.stringify(gateways.map(({ isFrozen, announced }) => ({ isFrozen, announced })))}\n`)
  // A process that is killed would not keep what it compiled for the next one.
  flushCompileCache()
  process.kill(process.pid, 'SIGKILL')
}

if (import.meta.main) await main()
