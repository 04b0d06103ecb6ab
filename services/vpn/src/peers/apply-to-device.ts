import type { Clock } from '@hearth/runtime'
import type { InterfaceRow, PeerRow } from '../tables.ts'
import { type DesiredDevices, networksBehind } from '../interfaces/desired-devices.ts'
import type { AccessInForce } from '../access-rules/access-in-force.ts'
import type { PeerLimits } from '../limits/peer-limits.ts'
import { tunnelProblem } from '../problems.ts'
import type { PeerChange, RouteChange } from '../wireguard/device.ts'
import type { InterfaceRules } from '../wireguard/firewall.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import type { Sampler } from './sampler.ts'
import { isExpired } from './followed-peer.ts'

/** A peer before and after a change; undefined when it was not, or will not be, there. */
export interface PeerTransition {
  readonly before: PeerRow | undefined
  readonly after: PeerRow | undefined
}

/** Changes of peers of one interface that stand in the database already; the device takes all of them or none. */
export interface DeviceTransition {
  readonly on: InterfaceRow
  readonly peers: readonly PeerTransition[]
  /** Puts the database back when the device does not follow. */
  readonly undo: () => Promise<unknown>
}

export interface ApplyDependencies {
  readonly clock: Clock
  readonly desired: DesiredDevices
  readonly sampler: Sampler
  readonly limits: Pick<PeerLimits, 'changed' | 'reload'>
  readonly access: Pick<AccessInForce, 'during' | 'reload'>
}

/** Takes changes to the running device, in one go. When that fails the database is put back and a `Problem` says why. */
export async function applyToDevice(
  dependencies: ApplyDependencies,
  tunnel: TunnelChanges,
  { on, peers, undo }: DeviceTransition,
): Promise<void> {
  const { limits, access } = dependencies
  try {
    await limits.changed(peers)
    await access.during(peers, () => changeDevice(dependencies, tunnel, { on, peers }))
  } catch (error) {
    await undo()
    await limits.changed(peers.map(turnedRound)).catch(() => limits.reload())
    throw tunnelProblem(error)
  }
}

/**
 * Takes back what `applyToDevice` did, when the database does not have it. The check of the tunnels repairs a device that does not
 * follow; limits and access rules are in force by then, because that check does not know of whom they lack.
 */
export async function takeBackFromDevice(
  dependencies: ApplyDependencies,
  tunnel: TunnelChanges,
  { on, peers: done }: Pick<DeviceTransition, 'on' | 'peers'>,
): Promise<void> {
  const { limits, access } = dependencies
  const peers = done.map(turnedRound)
  await limits.changed(peers).catch(() => limits.reload())
  const change = () => changeDevice(dependencies, tunnel, { on, peers }).catch(() => undefined)
  await access.during(peers, change).catch(() => access.reload())
}

const turnedRound = ({ before, after }: PeerTransition): PeerTransition => ({ before: after, after: before })

async function changeDevice(
  dependencies: ApplyDependencies,
  tunnel: TunnelChanges,
  { on, peers }: Pick<DeviceTransition, 'on' | 'peers'>,
): Promise<void> {
  if (on.enabled !== 1) return
  const now = dependencies.clock.now()
  const effective = peers.map(({ before, after }) => ({ was: onDevice(before, now), willBe: onDevice(after, now) }))
  const changes = effective.flatMap(({ was, willBe }) => deviceChanges(dependencies.desired, was, willBe))
  const leaving = peers.flatMap(({ after }, index) => {
    const { was, willBe } = effective[index] ?? {}
    return after !== undefined && was !== undefined && was.public_key !== willBe?.public_key ? [after.id] : []
  })
  const newRules = await rulesAfter(dependencies, tunnel, { on, effective })
  if (leaving.length > 0) await dependencies.sampler.samplePeers(on.name, leaving)
  await tunnel.apply(on.name, changes, { newRules, routes: routesAfter(effective) })
  if (leaving.length > 0) await dependencies.sampler.restart(leaving)
}

/** A peer on the device before and after a change: undefined when it is not there, or may not connect. */
interface EffectiveTransition {
  readonly was: PeerRow | undefined
  readonly willBe: PeerRow | undefined
}

function onDevice(row: PeerRow | undefined, now: number): PeerRow | undefined {
  return row !== undefined && row.enabled === 1 && !isExpired(row.expires_at, now) ? row : undefined
}

function deviceChanges(desired: DesiredDevices, was: PeerRow | undefined, willBe: PeerRow | undefined): PeerChange[] {
  const kept = keysOf(willBe)
  const changes = keysOf(was)
    .filter((publicKey) => !kept.includes(publicKey))
    .map((publicKey): PeerChange => ({ kind: 'remove', publicKey }))
  if (willBe === undefined) return changes
  if (!isSameOnDevice(was, willBe)) changes.push({ kind: 'set', peer: desired.peer(willBe) })
  const next = desired.nextPeer(willBe)
  const isSameNext = (['next_public_key', 'next_preshared_key'] as const).every(
    (column) => was?.[column] === willBe[column],
  )
  if (next !== undefined && !isSameNext) changes.push({ kind: 'set', peer: next })
  return changes
}

/** The public keys of a peer on its device: its own, and the one that waits to replace it. */
function keysOf(row: PeerRow | undefined): string[] {
  return [row?.public_key, row?.next_public_key].filter((key) => key !== undefined && key !== null)
}

function isSameOnDevice(was: PeerRow | undefined, willBe: PeerRow): boolean {
  return (['public_key', 'preshared_key', 'ip', 'ipv6', 'networks'] as const).every(
    (column) => was?.[column] === willBe[column],
  )
}

function isolatedAddresses(row: PeerRow | undefined): string[] {
  if (row?.client_isolation !== 1) return []
  return row.ipv6 === null ? [row.ip] : [row.ip, row.ipv6]
}

/** Networks behind peers that come and go with a change. */
function networksOf(effective: readonly EffectiveTransition[], which: keyof EffectiveTransition): string[] {
  return effective.flatMap((each) => {
    const row = each[which]
    return row === undefined ? [] : networksBehind(row)
  })
}

/** The routes of this host that a change of peers needs; undefined when they stay as they are. */
function routesAfter(effective: readonly EffectiveTransition[]): RouteChange | undefined {
  const [before, after] = [new Set(networksOf(effective, 'was')), new Set(networksOf(effective, 'willBe'))]
  const [remove, add] = [[...before.difference(after)], [...after.difference(before)]]
  return add.length === 0 && remove.length === 0 ? undefined : { add, remove }
}

/**
 * The rules in force with the isolation and the networks of these peers exchanged: what other peers have is neither read nor
 * written. Undefined when both stay as they are.
 */
async function rulesAfter(
  { desired }: ApplyDependencies,
  tunnel: TunnelChanges,
  { on, effective }: { on: InterfaceRow; effective: readonly EffectiveTransition[] },
): Promise<InterfaceRules | undefined> {
  const before = effective.flatMap(({ was }) => isolatedAddresses(was))
  const after = effective.flatMap(({ willBe }) => isolatedAddresses(willBe))
  const routes = routesAfter(effective)
  if (before.join() === after.join() && routes === undefined) return undefined
  const rules = tunnel.rules(on.name) ?? (await desired.rules(on))
  const { add = [], remove = [] } = routes ?? {}
  return {
    ...rules,
    isolated: exchanged(rules.isolated, [...before, ...after], after),
    networks: exchanged(rules.networks, [...add, ...remove], add).sort(),
  }
}

function exchanged(held: readonly string[], touched: readonly string[], next: readonly string[]): string[] {
  const gone = new Set(touched)
  return [...held.filter((each) => !gone.has(each)), ...next]
}
