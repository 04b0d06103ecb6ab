import { DeviceError, type DeviceState, type WireGuardDriver } from './device.ts'
import { createKnownPeers, diffPeers, peerDrift, type Peers } from './device-diff.ts'
import { type DesiredDevice, desiredPeers, type Drift, driftOf, isClean, settingsDrift } from './drift.ts'
import type { GuardedRules, InterfaceRules } from './firewall.ts'
import { publicKeyOf } from './keys.ts'
import { changeInBatches, type FollowedDevice, readFollowed, readTimed } from './peer-batch.ts'

/** Dependencies of `inspectDevice`. */
export interface BringDependencies {
  readonly driver: WireGuardDriver
  readonly rules: GuardedRules
}

/** A device compared with what it should be. */
interface Inspection {
  readonly drift: Drift
  readonly state: DeviceState | undefined
}

/**
 * Compares without changing anything. A stopped interface drifts when its device runs; a device of the same name with another
 * key is someone else's then.
 */
export async function inspectDevice(
  dependencies: BringDependencies,
  device: FollowedDevice,
  desired: DesiredDevice,
): Promise<Inspection> {
  const { config } = desired
  const state = await readTimed(dependencies.driver, device)
  if (!desired.running) {
    const isOurs = state !== undefined && state.publicKey === publicKeyOf(config.privateKey)
    return { drift: driftOf(config.name, isOurs ? ['device running'] : []), state: isOurs ? state : undefined }
  }
  const differences = await dependencies.driver.differences(config)
  const outdated = isSameRules(dependencies.rules.of(config.name), desired.rules) ? [] : ['firewall rules outdated']
  if (state === undefined) return { drift: driftOf(config.name, ['device missing', ...outdated]), state }
  const found = driftOf(config.name, [...differences, ...settingsDrift(config, state), ...outdated])
  return { drift: { ...found, ...peerDrift(desiredPeers(desired.peers), state.peers) }, state }
}

/**
 * Makes a device what it should be, with the fewest changes and without disturbing peers that are right already; takes the
 * device of a stopped interface away. Returns what was wrong. Throws a `DeviceError`; a device that did not exist before
 * is gone again then.
 */
export async function bringDevice(
  dependencies: BringDependencies,
  device: FollowedDevice,
  desired: DesiredDevice,
): Promise<Drift> {
  const { name } = desired.config
  if (desired.running && (await dependencies.driver.isForeignLink(name))) {
    throw new DeviceError(`${name} exists on this host already and is not a WireGuard interface`)
  }
  const { drift, state } = await inspectDevice(dependencies, device, desired)
  if (!desired.running) {
    const isInForce = state !== undefined || dependencies.rules.of(name) !== null
    if (isInForce) await takeDevice(dependencies, device, publicKeyOf(desired.config.privateKey))
  } else if (isClean(drift) && state !== undefined) device.known = createKnownPeers(state.peers)
  else
    await dependencies.rules.during(name, desired.rules, () =>
      repairDevice(dependencies, device, { desired, drift, state }),
    )
  return drift
}

/**
 * Takes the device with this public key down and away with its rules; not an error when it is not there. One of the same name with
 * another key is someone else's and stays.
 */
export async function takeDevice(
  { driver, rules }: BringDependencies,
  device: FollowedDevice,
  publicKey: string,
): Promise<void> {
  device.known = undefined
  const found = (await readTimed(driver, device))?.publicKey ?? publicKey
  if (found === publicKey) await driver.remove(device.name)
  await rules.set(device.name, null)
}

async function repairDevice(
  { driver }: BringDependencies,
  device: FollowedDevice,
  { desired, drift, state }: Inspection & { desired: DesiredDevice },
): Promise<void> {
  const { config } = desired
  const wanted = desiredPeers(desired.peers)
  device.known = undefined
  try {
    if (state === undefined || drift.device.length > 0) await driver.ensure(config)
    const before = state ?? (await readFollowed(driver, device))
    await changeInBatches(driver, config.name, diffPeers(wanted, before.peers))
    const after = await readFollowed(driver, device)
    refuseDifference(config.name, wanted, after.peers)
    device.known = createKnownPeers(after.peers)
  } catch (error) {
    if (state === undefined) await driver.remove(config.name).catch(() => undefined)
    throw error
  }
}

function refuseDifference(name: string, wanted: Peers, actual: Peers): void {
  const { missing, changed, extra } = peerDrift(wanted, actual)
  const count = missing.length + changed.length + extra.length
  if (count > 0) throw new DeviceError(`${name}: the device does not hold what it was given for ${count} peers`)
}

function isSameRules(a: InterfaceRules | null, b: InterfaceRules): boolean {
  const text = (rules: InterfaceRules) => JSON.stringify({ ...rules, isolated: [...rules.isolated].sort() })
  return a !== null && text(a) === text(b)
}
