import { createKeyedQueue } from '@hearth/runtime'
import { takeDevice } from './bring.ts'
import type { Backend, DeviceState, PeerChange, PeerState } from './device.ts'
import type { DesiredDevice } from './drift.ts'
import { repeatRound, reportOnce, type Repetition } from './drift-watch.ts'
import type { InterfaceRules } from './firewall-rules.ts'
import { createGuardedRules } from './guarded-rules.ts'
import { applyBatch } from './peer-batch.ts'
import { createReadBack } from './read-back.ts'
import { followed, runInTurn, type TunnelContext, type TunnelsOptions, type TunnelState } from './tunnel-context.ts'
import { checkReading, readChecked, shareReading } from './tunnel-readings.ts'
import { checkAll, reconcileAll, reconcileNow, settle } from './tunnel-repair.ts'

/** The changes of one interface. Each either did all it says or throws a `DeviceError` after putting back what it could. */
export interface TunnelChanges {
  /**
   * Changes some peers of a running interface and nothing else. With `rules` the isolation of the interface changes along with
   * the peers, without a gap.
   */
  apply(name: string, changes: readonly PeerChange[], rules?: InterfaceRules): Promise<void>
  /** The firewall rules of an interface that are in force; null while it has none. */
  rules(name: string): InterfaceRules | null
  /** Puts the firewall rules of a running interface in force. */
  protect(name: string, rules: InterfaceRules): Promise<void>
  /** Brings an interface to the desired state, from nothing or from whatever runs, with the smallest difference. */
  bring(device: Omit<DesiredDevice, 'running'>): Promise<void>
  /** Takes an interface down and away. */
  take(name: string): Promise<void>
}

/** The data plane as the rest of the service uses it. Changes of one interface wait for each other. */
export interface Tunnels extends TunnelChanges {
  readonly backend: Backend
  /**
   * Runs `work` while nothing else changes or checks the interface: the place for a change of the database together with the
   * device. `work` uses the changes it is given, for this interface only; the ones outside would wait for it for ever.
   */
  exclusively<T>(name: string, work: (changes: TunnelChanges) => Promise<T>): Promise<T>
  /** Compares one interface with the desired state and repairs it. */
  reconcile(name: string): Promise<void>
  /** The same for all of them, at the start; an interface that cannot be brought up has the state `error` afterwards. */
  reconcileAll(): Promise<void>
  /** Compares and repairs every so many milliseconds until `close`, and reports what it found. */
  watch(interval: number): void
  /** The device as it runs, or undefined. For the sampler; readings at the same time share one. */
  read(name: string): Promise<DeviceState | undefined>
  /** One peer as it runs, or undefined: for its last counters before it leaves its device. */
  readPeer(name: string, publicKey: string): Promise<PeerState | undefined>
  state(name: string): TunnelState
  /** Ends the checks and lets running changes finish. The tunnels keep running. */
  close(): Promise<void>
}

/** Changes that may wait for one interface. */
const queueBound = 1000

/** Makes the controller; nothing runs until it is asked. */
export function createTunnels(options: TunnelsOptions): Tunnels {
  const context = createContext(options)
  const { driver, queue } = context
  const checks: Repetition[] = []
  const changes = createChanges(context)
  const inTurn = <T>(name: string, work: () => Promise<T>) => runInTurn(context, name, work)
  return {
    backend: driver.backend,
    apply: (name, ...rest) => inTurn(name, () => changes.apply(name, ...rest)),
    rules: (name) => changes.rules(name),
    protect: (name, rules) => inTurn(name, () => changes.protect(name, rules)),
    bring: (device) => inTurn(device.config.name, () => changes.bring(device)),
    take: (name) => inTurn(name, () => changes.take(name)),
    exclusively: (name, work) => inTurn(name, () => work(changes)),
    reconcile: (name) => inTurn(name, async () => void (await reconcileNow(context, name))),
    reconcileAll: () => reconcileAll(context),
    watch: (interval) => void checks.push(repeatRound(() => checkAll(context), { interval, log: options.log })),
    read: (name) => shareReading(context, name),
    readPeer: (name, publicKey) => driver.readPeer(name, publicKey),
    state: (name) => context.states.get(name) ?? { status: 'down', reason: null },
    async close() {
      await Promise.all(checks.map((check) => check.stop()))
      await context.readBack.idle()
      await queue.idle()
      await driver.close()
    },
  }
}

function createContext(options: TunnelsOptions): TunnelContext {
  const { driver, log } = options
  const context: TunnelContext = {
    options,
    driver,
    log,
    queue: createKeyedQueue(queueBound),
    rules: createGuardedRules(options.firewall),
    devices: new Map(),
    states: new Map(),
    readings: new Map(),
    readBack: createReadBack({
      read: (name) => readChecked(context, name),
      check: (name, keys, state) => checkReading(context, { name, keys, state }),
      quiet: 200,
      longest: 5000,
    }),
    report: reportOnce((drift) => options.onDrift?.(drift)),
  }
  return context
}

function createChanges(context: TunnelContext): TunnelChanges {
  const { rules, states, readBack } = context
  return {
    async apply(name, changes, newRules) {
      if (changes.length === 0 && newRules === undefined) return
      const device = followed(context, name)
      const open = await rules.during(name, newRules ?? null, () => applyBatch(context, device, changes))
      if (open.length > 0) readBack.request(name, open)
    },
    rules: (name) => rules.of(name),
    protect: (name, newRules) => rules.set(name, newRules),
    async bring(device) {
      await settle(context, { ...device, running: true })
    },
    async take(name) {
      await takeDevice(context, followed(context, name))
      states.set(name, { status: 'down', reason: null })
    },
  }
}
