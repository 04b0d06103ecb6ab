import type { Kysely } from 'kysely'
import { LeftNothing, orNothing } from '../left-nothing.ts'
import { networksBehind } from '../interfaces/desired-devices.ts'
import { findInterfaceRow } from '../interfaces/store.ts'
import { namedConflict, notFound, Problem } from '../problems.ts'
import type { PeerRow, Tables } from '../tables.ts'
import { applyAll, type BulkDependencies, byInterface, type InterfaceChange, withLocks } from './many-devices.ts'
import { changedPeerColumns, type NewPeerContext, type PeerKeys, sealedKeys, uniqueMembers } from './new-peer.ts'
import type { PeerUpdate } from './schema.ts'
import * as store from './store.ts'

/** A change of one of many peers, with new keys if it gets some. */
export interface PeerAlteration {
  readonly id: string
  readonly changes: PeerUpdate
  readonly keys?: PeerKeys | undefined
}

type Dependencies = BulkDependencies & { readonly context: NewPeerContext }

/**
 * Changes many peers, each in its own way: all of them or, when one cannot be, none, in one transaction of the database and one
 * change of each tunnel. Names, addresses, networks and keys may go from one to another. Returns the problem of each that
 * cannot be, undefined for the others.
 */
export async function alterManyPeers(
  dependencies: Dependencies,
  alterations: readonly PeerAlteration[],
): Promise<(Problem | undefined)[]> {
  const { database, onChanged } = dependencies
  if (alterations.length === 0) return []
  const ids = alterations.map(({ id }) => id)
  const outcomes: (Problem | undefined)[] = []
  const interfaces = await store.interfacesOfPeers(database.query, ids)
  const isDone = await withLocks(dependencies, interfaces, async (tunnel) => {
    const altered = await alterAll(dependencies, alterations, outcomes)
    if (altered === undefined) return false
    const undo = () =>
      database.query.transaction().execute(async (trx) => {
        for (const row of altered.before) await park(trx, row)
        for (const row of altered.before) await store.updatePeerRow(trx, row.id, row)
      })
    await applyAll(dependencies, tunnel, { changes: altered.changes, undo })
    return true
  })
  if (isDone) await onChanged(ids)
  return outcomes
}

interface Altered {
  readonly before: readonly PeerRow[]
  readonly changes: readonly InterfaceChange[]
}

async function alterAll(
  dependencies: Dependencies,
  alterations: readonly PeerAlteration[],
  outcomes: (Problem | undefined)[],
): Promise<Altered | undefined> {
  return orNothing(() =>
    namedConflict('peer', uniqueMembers, () =>
      dependencies.database.query.transaction().execute(async (trx) => {
        const rows = await store.findPlainPeerRows(
          trx,
          alterations.map(({ id }) => id),
        )
        const known = new Map(rows.map((row) => [row.id, row]))
        for (const { id, changes } of alterations) {
          const row = known.get(id)
          if (row !== undefined && movedMembers.some((member) => member in changes)) await park(trx, row)
        }
        const transitions: { before: PeerRow; after: PeerRow }[] = []
        for (const alteration of alterations) {
          const outcome = await alterOne(trx, alteration, { before: known.get(alteration.id), dependencies })
          outcomes.push(outcome instanceof Problem ? outcome : undefined)
          if (!(outcome instanceof Problem)) transitions.push(outcome)
        }
        if (transitions.length < alterations.length) throw new LeftNothing()
        return { before: transitions.map(({ before }) => before), changes: await byInterface(trx, transitions) }
      }),
    ),
  )
}

/** Members of which no two peers have the same. */
const movedMembers = ['name', 'ip', 'ipv6', 'public_key', 'networks'] as const

/** Takes what is unique away from a peer that changes, so that another one can have it; nobody sees that outside. */
async function park(trx: Kysely<Tables>, { id }: PeerRow): Promise<void> {
  await store.updatePeerRow(trx, id, {
    name_key: `~${id}`,
    ip: `~${id}`,
    ipv6: null,
    public_key: `~${id}`,
    networks: null,
  })
}

async function alterOne(
  trx: Kysely<Tables>,
  { id, changes, keys }: PeerAlteration,
  { before, dependencies }: { before: PeerRow | undefined; dependencies: Dependencies },
): Promise<{ before: PeerRow; after: PeerRow } | Problem> {
  const { context } = dependencies
  const on = before && (await findInterfaceRow(trx, before.interface))
  if (before === undefined || on === undefined) return notFound(`peer ${id}`)
  try {
    const columns = await changedPeerColumns(trx, { row: before, on }, { changes: again(before, changes), context })
    const after = { ...before, ...columns, ...(keys === undefined ? {} : sealedKeys(id, context.sealer, keys)) }
    await store.updatePeerRow(trx, id, after)
    return { before, after }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Networks of a peer that keeps them are checked again when they were parked: another one may have taken them. */
function again(before: PeerRow, changes: PeerUpdate): PeerUpdate {
  const isParked = movedMembers.some((member) => member in changes)
  const networks = networksBehind(before)
  return isParked && changes.networks === undefined && networks.length > 0
    ? { ...changes, networks, allow_host_overlap: true }
    : changes
}
