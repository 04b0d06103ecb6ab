import type { Log } from '@hearth/runtime'
import { DeviceError, type DevicePeer, type DeviceState, type PeerChange, type WireGuardDriver } from './device.ts'
import { createKnownPeers, findTheft, isSamePeer, type KnownPeers, planChanges } from './device-diff.ts'

/** A device as the controller follows it. */
export interface FollowedDevice {
  readonly name: string
  /** Undefined while nothing is known, or no longer certain. */
  known: KnownPeers | undefined
  /** Milliseconds the last reading took; a device that reads fast is verified before a change is answered. */
  readingTime: number
}

/** Peers as they are to become, null for removed, by public key. */
type Target = ReadonlyMap<string, DevicePeer | null>

/** Dependencies of `applyBatch`. */
export interface BatchDependencies {
  readonly driver: WireGuardDriver
  readonly log: Log
}

/** Changes a driver gets in one go, so that one call ends well before its timeout. */
const changesPerCall = 5000

/** Readings faster than this many milliseconds are awaited before a change is answered. */
const fastReading = 15

/**
 * Applies changes to a running device. Refuses a change that would take an address from a peer it does not touch. When the
 * device refuses, or does not hold the change afterwards, the touched peers are put back to what they were and a
 * `DeviceError` says why. Returns the touched public keys that are still to be verified by a reading.
 */
export async function applyBatch(
  dependencies: BatchDependencies,
  device: FollowedDevice,
  changes: readonly PeerChange[],
): Promise<readonly string[]> {
  const { driver } = dependencies
  const target = targetOf(changes)
  const known = (device.known ??= createKnownPeers((await readFollowed(driver, device)).peers))
  const theft = findTheft(known.owners, target)
  if (theft !== null) throw new DeviceError(`${device.name}: the address ${theft.network} belongs to another peer`)
  const touched = [...target.keys()]
  const before = new Map(touched.map((publicKey) => [publicKey, known.peers.get(publicKey) ?? null]))
  try {
    await changeInBatches(driver, device.name, planChanges(known.peers, target))
    const isFast = device.readingTime < fastReading
    if (isFast) refuseMismatch(device.name, target, (await readFollowed(driver, device)).peers)
    known.update(target)
    return isFast ? [] : touched
  } catch (error) {
    device.known = undefined
    await putBack(dependencies, device.name, before)
    throw deviceErrorOf(device.name, error)
  }
}

/** Hands changes to the driver, in order, in calls of a bounded size. */
export async function changeInBatches(
  driver: WireGuardDriver,
  name: string,
  changes: readonly PeerChange[],
): Promise<void> {
  for (let at = 0; at < changes.length; at += changesPerCall) {
    await driver.change(name, changes.slice(at, at + changesPerCall))
  }
}

/** Reads a device, and notes how long that took; undefined when it does not run. */
export async function readTimed(driver: WireGuardDriver, device: FollowedDevice): Promise<DeviceState | undefined> {
  const start = performance.now()
  const state = await driver.read(device.name)
  device.readingTime = performance.now() - start
  return state
}

/** Reads a device that must be running. */
export async function readFollowed(driver: WireGuardDriver, device: FollowedDevice): Promise<DeviceState> {
  const state = await readTimed(driver, device)
  if (state === undefined) throw new DeviceError(`${device.name} is not running`)
  return state
}

/** Any failure as a `DeviceError`; an unexpected one keeps its text out of the message, because it may hold a secret. */
export function deviceErrorOf(name: string, error: unknown): DeviceError {
  if (error instanceof DeviceError) return error
  return new DeviceError(`${name}: the change failed unexpectedly`, { cause: error })
}

/** The public keys among `keys` that a reading shows in another form than expected. */
export function mismatches(
  expected: Target,
  keys: Iterable<string>,
  actual: ReadonlyMap<string, DevicePeer>,
): string[] {
  return [...keys].filter((publicKey) => {
    const wanted = expected.get(publicKey) ?? null
    const held = actual.get(publicKey)
    return wanted === null ? held !== undefined : held === undefined || !isSamePeer(wanted, held)
  })
}

function targetOf(changes: readonly PeerChange[]): Target {
  return new Map(
    changes.map((change) =>
      change.kind === 'remove' ? [change.publicKey, null] : [change.peer.publicKey, change.peer],
    ),
  )
}

function refuseMismatch(name: string, target: Target, actual: ReadonlyMap<string, DevicePeer>): void {
  const wrong = mismatches(target, target.keys(), actual)
  if (wrong.length > 0) throw new DeviceError(`${name}: the device does not hold the change of ${wrong.length} peers`)
}

async function putBack({ driver, log }: BatchDependencies, name: string, before: Target): Promise<void> {
  try {
    const state = await driver.read(name)
    if (state === undefined) return
    const wrong = new Set(mismatches(before, before.keys(), state.peers))
    const target = new Map([...before].filter(([publicKey]) => wrong.has(publicKey)))
    await changeInBatches(driver, name, planChanges(state.peers, target))
  } catch (error) {
    log.error({ err: deviceErrorOf(name, error), interface: name }, 'peers could not be put back after a failed change')
  }
}
