import { QueueFull, type createKeyedQueue, type Log } from '@hearth/runtime'
import { type BringDependencies, bringDevice, inspectDevice } from './bring.ts'
import { DeviceError, type DeviceState, type WireGuardDriver } from './device.ts'
import { type DesiredDevice, type Drift, driftOf, isClean } from './drift.ts'
import type { Firewall } from './firewall.ts'
import { type BatchDependencies, deviceErrorOf, type FollowedDevice, mismatches, readTimed } from './peer-batch.ts'
import type { ReadBack } from './read-back.ts'

/** State of an interface after the last operation or check. */
export interface TunnelState {
  readonly status: 'up' | 'down' | 'error'
  /** Reason for the status `error`; null otherwise. */
  readonly reason: string | null
}

/** Dependencies of the controller. */
export interface TunnelDependencies {
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  /** All interfaces as the database wants them, stopped ones too, or the one of that name. */
  readonly desired: (name?: string) => Promise<readonly DesiredDevice[]>
  readonly log: Log
  readonly onDrift?: (drift: Drift) => void
}

/** Context that the parts of the controller share. */
export interface TunnelContext extends BatchDependencies, BringDependencies {
  readonly dependencies: TunnelDependencies
  readonly queue: ReturnType<typeof createKeyedQueue>
  readonly devices: Map<string, FollowedDevice>
  readonly states: Map<string, TunnelState>
  readonly readings: Map<string, Promise<DeviceState | undefined>>
  readonly readBack: ReadBack
  readonly report: (drift: Drift) => void
}

/** The controller's own record of a device, created on first use. */
export function followed({ devices }: TunnelContext, name: string): FollowedDevice {
  const device = devices.get(name) ?? { name, known: undefined, readingTime: 0 }
  devices.set(name, device)
  return device
}

/** Runs work when all earlier work on the interface has ended. Throws a `DeviceError` when too much waits already. */
export async function withLock<T>(context: TunnelContext, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await context.queue.run(name, work)
  } catch (error) {
    if (error instanceof QueueFull) throw new DeviceError(error.message, { cause: error })
    throw error
  }
}

/** Brings or takes one interface and records its state; returns what was wrong. */
export async function settle(context: TunnelContext, desired: DesiredDevice): Promise<Drift> {
  const { name } = desired.config
  try {
    const drift = await bringDevice(context, followed(context, name), desired)
    context.states.set(name, { status: desired.running ? 'up' : 'down', reason: null })
    return drift
  } catch (error) {
    const failure = deviceErrorOf(name, error)
    context.states.set(name, { status: 'error', reason: failure.message })
    throw failure
  }
}

/** Brings one interface to what the database wants; undefined when it does not know it. To be called in the interface's turn. */
export async function reconcileNow(context: TunnelContext, name: string): Promise<Drift | undefined> {
  const desired = (await context.dependencies.desired(name)).find(({ config }) => config.name === name)
  return desired === undefined ? undefined : settle(context, desired)
}

/** Brings all interfaces to what the database wants, one after the other; a failure of one is logged and stays its own. */
export async function reconcileAll(context: TunnelContext): Promise<void> {
  const { log, rules, dependencies } = context
  const all = await dependencies.desired()
  const logFailure = (name: string) => (error: unknown) => {
    log.error({ interface: name, reason: deviceErrorOf(name, error).message }, 'interface failed')
  }
  const running = all.filter((device) => device.running)
  await rules.startWith(running.map((device) => device.rules)).catch(logFailure('firewall'))
  for (const { config } of all) {
    await withLock(context, config.name, () => reconcileNow(context, config.name)).catch(logFailure(config.name))
  }
}

/** Checks all interfaces without their locks; what differs is checked again and repaired under its lock. */
export async function checkAll(context: TunnelContext): Promise<void> {
  for (const desired of await context.dependencies.desired()) {
    const { name } = desired.config
    const inspection = await inspectDevice(context, followed(context, name), desired).catch(() => undefined)
    const standing = context.states.get(name)?.status
    if (inspection !== undefined && isClean(inspection.drift) && standing !== 'error') continue
    await withLock(context, name, () => repairNow(context, name))
  }
  await checkFirewall(context)
}

/** Repairs one interface and reports what was wrong. To be called in the interface's turn. */
async function repairNow(context: TunnelContext, name: string): Promise<void> {
  try {
    const drift = await reconcileNow(context, name)
    if (drift !== undefined && !isClean(drift)) context.report(drift)
  } catch (error) {
    context.report(driftOf(name, ['not as wanted'], deviceErrorOf(name, error).message))
  }
}

async function checkFirewall({ dependencies: { firewall }, report }: TunnelContext): Promise<void> {
  try {
    if (!(await firewall.hasDrifted())) return
    await firewall.repair()
    report(driftOf(null, ['firewall changed']))
  } catch (error) {
    report(driftOf(null, ['firewall changed'], deviceErrorOf('firewall', error).message))
  }
}

/** Reads a device; concurrent callers share one reading. */
export function shareReading(context: TunnelContext, name: string): Promise<DeviceState | undefined> {
  const running = context.readings.get(name)
  if (running !== undefined) return running
  const reading = readChecked(context, name).finally(() => context.readings.delete(name))
  context.readings.set(name, reading)
  return reading
}

/** Every reading checks the changes that were made before it began. */
export async function readChecked(context: TunnelContext, name: string): Promise<DeviceState | undefined> {
  const end = context.readBack.begin(name)
  const state = await readTimed(context.driver, followed(context, name))
  end(state)
  return state
}

/** Compares changed peers with a reading, and has the interface repaired when they differ. */
export function checkReading(
  context: TunnelContext,
  { name, keys, state }: { name: string; keys: ReadonlySet<string>; state: DeviceState | undefined },
): void {
  const { known } = followed(context, name)
  if (known === undefined || (state !== undefined && mismatches(known.peers, keys, state.peers).length === 0)) return
  withLock(context, name, () => repairNow(context, name)).catch((error: unknown) => {
    context.log.error({ err: error, interface: name }, 'a change could not be verified')
  })
}
