import type { Clock } from '@hearth/runtime'
import type { InterfaceRow, PeerRow } from '../database/tables.ts'
import type { DesiredDevices } from '../interfaces/desired-devices.ts'
import { tunnelProblem } from '../problems.ts'
import type { PeerChange } from '../wireguard/device.ts'
import type { InterfaceRules } from '../wireguard/firewall-rules.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import type { Sampler } from './sampler.ts'
import { isExpired } from './status.ts'

/** A peer before and after a change that stands in the database already; undefined when it was not, or will not be, there. */
export interface PeerTransition {
  readonly on: InterfaceRow
  readonly before: PeerRow | undefined
  readonly after: PeerRow | undefined
  /** Puts the database back when the device does not follow. */
  readonly undo: () => Promise<void>
}

export interface ApplyParts {
  readonly clock: Clock
  readonly desired: DesiredDevices
  readonly sampler: Sampler
}

/** Takes a change to the running device. When that fails the database is put back and a `Problem` says why. */
export async function applyToDevice(
  parts: ApplyParts,
  tunnel: TunnelChanges,
  transition: PeerTransition,
): Promise<void> {
  const { on, before, after, undo } = transition
  if (on.enabled !== 1) return
  const now = parts.clock.now()
  const was = before !== undefined && isEffective(before, now) ? before : undefined
  const willBe = after !== undefined && isEffective(after, now) ? after : undefined
  const changes = deviceChanges(parts.desired, was, willBe)
  try {
    const rules = isolationDiffers(was, willBe) ? await rulesAfter(parts.desired, on, { was, willBe }) : undefined
    const leaves = changes.some((change) => change.kind === 'remove')
    if (leaves && after !== undefined) await parts.sampler.sampleInterface(on.name)
    await tunnel.apply(on.name, changes, rules)
    if (leaves && after !== undefined) await parts.sampler.restart([after.id])
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
  const isolated = (row: PeerRow | undefined) => (row?.client_isolation === 1 ? `${row.ip} ${row.ipv6}` : '')
  return isolated(was) !== isolated(willBe)
}

/** A peer that is about to be deleted still stands in the database; its addresses are taken out here. */
async function rulesAfter(
  desired: DesiredDevices,
  on: InterfaceRow,
  { was, willBe }: { was: PeerRow | undefined; willBe: PeerRow | undefined },
): Promise<InterfaceRules> {
  const rules = await desired.rules(on)
  if (willBe !== undefined || was === undefined) return rules
  return { ...rules, isolated: rules.isolated.filter((address) => address !== was.ip && address !== was.ipv6) }
}
