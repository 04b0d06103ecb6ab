import type { Clock } from '@hearth/runtime'
import type { InterfaceRow, PeerRow } from '../tables.ts'
import type { DesiredDevices } from '../interfaces/desired-devices.ts'
import { tunnelProblem } from '../problems.ts'
import type { PeerChange } from '../wireguard/device.ts'
import type { InterfaceRules } from '../wireguard/firewall.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import type { Sampler } from './sampler.ts'
import { isExpired } from './followed-peer.ts'

/** A peer before and after a change that stands in the database already; undefined when it was not, or will not be, there. */
export interface PeerTransition {
  readonly on: InterfaceRow
  readonly before: PeerRow | undefined
  readonly after: PeerRow | undefined
  /** Puts the database back when the device does not follow. */
  readonly undo: () => Promise<void>
}

export interface ApplyDependencies {
  readonly clock: Clock
  readonly desired: DesiredDevices
  readonly sampler: Sampler
}

/** Takes a change to the running device. When that fails the database is put back and a `Problem` says why. */
export async function applyToDevice(
  dependencies: ApplyDependencies,
  tunnel: TunnelChanges,
  transition: PeerTransition,
): Promise<void> {
  const { on, before, after, undo } = transition
  if (on.enabled !== 1) return
  const now = dependencies.clock.now()
  const was = before !== undefined && isEffective(before, now) ? before : undefined
  const willBe = after !== undefined && isEffective(after, now) ? after : undefined
  const changes = deviceChanges(dependencies.desired, was, willBe)
  try {
    const rules = isolationDiffers(was, willBe)
      ? await rulesAfter(dependencies, tunnel, { on, was, willBe })
      : undefined
    const leaves = changes.some((change) => change.kind === 'remove')
    if (leaves && after !== undefined) await dependencies.sampler.samplePeer(after.id)
    await tunnel.apply(on.name, changes, rules)
    if (leaves && after !== undefined) await dependencies.sampler.restart([after.id])
  } catch (error) {
    await undo()
    throw tunnelProblem(error)
  }
}

function isEffective(row: PeerRow, now: number): boolean {
  return row.enabled === 1 && !isExpired(row.expires_at, now)
}

function deviceChanges(desired: DesiredDevices, was: PeerRow | undefined, willBe: PeerRow | undefined): PeerChange[] {
  const changes: PeerChange[] = []
  if (was !== undefined && was.public_key !== willBe?.public_key)
    changes.push({ kind: 'remove', publicKey: was.public_key })
  if (willBe !== undefined && !isSameOnDevice(was, willBe)) changes.push({ kind: 'set', peer: desired.peer(willBe) })
  return changes
}

function isSameOnDevice(was: PeerRow | undefined, willBe: PeerRow): boolean {
  return (['public_key', 'preshared_key', 'ip', 'ipv6'] as const).every((column) => was?.[column] === willBe[column])
}

function isolationDiffers(was: PeerRow | undefined, willBe: PeerRow | undefined): boolean {
  return isolatedAddresses(was).join() !== isolatedAddresses(willBe).join()
}

function isolatedAddresses(row: PeerRow | undefined): string[] {
  if (row?.client_isolation !== 1) return []
  return row.ipv6 === null ? [row.ip] : [row.ip, row.ipv6]
}

/** The rules in force with the isolation of one peer exchanged: what other peers have is neither read nor written. */
async function rulesAfter(
  { desired }: ApplyDependencies,
  tunnel: TunnelChanges,
  { on, was, willBe }: { on: InterfaceRow; was: PeerRow | undefined; willBe: PeerRow | undefined },
): Promise<InterfaceRules> {
  const rules = tunnel.rules(on.name) ?? (await desired.rules(on))
  const [before, after] = [isolatedAddresses(was), isolatedAddresses(willBe)]
  const others = rules.isolated.filter((address) => !before.includes(address) && !after.includes(address))
  return { ...rules, isolated: [...others, ...after] }
}
