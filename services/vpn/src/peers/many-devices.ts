import type { Kysely } from 'kysely'
import { findInterfaceRow } from '../interfaces/store.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import { applyToDevice, type PeerTransition, takeBackFromDevice } from './apply-to-device.ts'
import type { PeerDependencies } from './peers.ts'

/** Dependencies of changes of many peers. */
export type BulkDependencies = Omit<PeerDependencies, 'settings' | 'sealer' | 'quotas' | 'host'>

/** Changes of the peers of one interface. */
export interface InterfaceChange {
  readonly on: InterfaceRow
  readonly peers: readonly PeerTransition[]
}

/** Takes the locks in the order of the names, so that two changes never wait for each other. */
export async function withLocks<T>(
  { tunnels }: Pick<BulkDependencies, 'tunnels'>,
  names: Iterable<string>,
  work: (tunnel: TunnelChanges | undefined) => Promise<T>,
): Promise<T> {
  const take = ([name, ...rest]: readonly string[], held?: TunnelChanges): Promise<T> =>
    name === undefined ? work(held) : tunnels.withLock(name, (tunnel) => take(rest, tunnel))
  return take([...new Set(names)].toSorted())
}

/**
 * Takes the changes to one device after the other, and follows the peers from then on; when one refuses, those before it are put
 * back along with the database.
 */
export async function applyAll(
  dependencies: BulkDependencies,
  tunnel: TunnelChanges | undefined,
  { changes, undo }: { changes: readonly InterfaceChange[]; undo: () => Promise<unknown> },
): Promise<void> {
  if (tunnel === undefined) return
  const done: InterfaceChange[] = []
  const undoAll = async () => {
    await undo()
    for (const change of done) await takeBackFromDevice(dependencies, tunnel, change)
  }
  for (const change of changes) {
    await applyToDevice(dependencies, tunnel, { ...change, undo: undoAll })
    done.push(change)
  }
  for (const { on, peers } of changes)
    for (const { after } of peers) if (after !== undefined) dependencies.sampler.follow(after, on)
}

/** Puts changes of peers together by their interfaces. */
export async function byInterface(
  db: Kysely<Tables>,
  transitions: InterfaceChange['peers'],
): Promise<InterfaceChange[]> {
  const changes: InterfaceChange[] = []
  for (const [name, peers] of Map.groupBy(transitions, ({ before, after }) => (before ?? after)?.interface ?? '')) {
    const on = await findInterfaceRow(db, name)
    if (on !== undefined) changes.push({ on, peers })
  }
  return changes
}
