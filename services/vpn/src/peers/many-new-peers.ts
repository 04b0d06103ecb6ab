import type { Kysely } from 'kysely'
import { LeftNothing, orNothing } from '../left-nothing.ts'
import { findInterfaceRow, updateInterfaceRow } from '../interfaces/store.ts'
import { invalidField, namedConflict, Problem } from '../problems.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { applyAll, type BulkDependencies, byInterface, type InterfaceChange, withLocks } from './many-devices.ts'
import { type NewPeerContext, newPeerRow, type PeerKeys, uniqueMembers } from './new-peer.ts'
import type { PeerCreate } from './schema.ts'
import * as store from './store.ts'

/** What became, or would become, of one new peer. */
export type CreationOutcome = Pick<PeerRow, 'id' | 'ip' | 'ipv6' | 'private_key'> | Problem

/** A peer to create, with the keys that it has elsewhere if there are some. */
export type NewPeer = PeerCreate & { readonly keys?: PeerKeys | undefined }

/**
 * Creates many peers as one: all of them or, when one cannot be, none, in one transaction of the database and one change of each
 * tunnel. Returns what became of each. A trial leaves nothing behind, and returns what would have become of them.
 */
export async function createManyPeers(
  dependencies: BulkDependencies & { readonly context: NewPeerContext },
  inputs: readonly NewPeer[],
  { isTrial }: { readonly isTrial: boolean },
): Promise<CreationOutcome[]> {
  const outcomes: CreationOutcome[] = []
  const names = inputs.map((input) => input.interface)
  const ids = await withLocks(dependencies, names, async (tunnel) => {
    const changes = await insertAll(dependencies, inputs, { outcomes, isTrial })
    if (changes === undefined) return []
    const created = changes.flatMap(({ peers }) => peers.flatMap(({ after }) => after?.id ?? []))
    const undo = () => store.deletePeerRows(dependencies.database.query, created)
    await applyAll(dependencies, tunnel, { changes, undo })
    return created
  })
  if (ids.length > 0) await dependencies.onChanged(ids)
  return outcomes
}

/** Inserts all peers and notes what became of each; undefined when nothing is left of it. */
async function insertAll(
  { database, context }: BulkDependencies & { readonly context: NewPeerContext },
  inputs: readonly NewPeer[],
  { outcomes, isTrial }: { outcomes: CreationOutcome[]; isTrial: boolean },
): Promise<InterfaceChange[] | undefined> {
  return orNothing(() =>
    namedConflict('peer', uniqueMembers, () =>
      database.query.transaction().execute(async (trx) => {
        const interfaces = new Map<string, InterfaceRow | undefined>()
        const rows: PeerRow[] = []
        for (const input of inputs) {
          const outcome = await insertOne(trx, input, { interfaces, context })
          outcomes.push(outcome)
          if (!(outcome instanceof Problem)) rows.push(outcome)
        }
        if (isTrial || rows.length < inputs.length) throw new LeftNothing()
        for (const on of interfaces.values())
          if (on !== undefined) await updateInterfaceRow(trx, on.name, { next_host: on.next_host })
        return byInterface(
          trx,
          rows.map((after) => ({ before: undefined, after })),
        )
      }),
    ),
  )
}

interface CreationState {
  /** The interfaces so far, with the host number that comes next. */
  readonly interfaces: Map<string, InterfaceRow | undefined>
  readonly context: NewPeerContext
}

async function insertOne(
  trx: Kysely<Tables>,
  { keys, ...input }: NewPeer,
  { interfaces, context }: CreationState,
): Promise<PeerRow | Problem> {
  const name = input.interface
  if (!interfaces.has(name)) interfaces.set(name, await findInterfaceRow(trx, name))
  const on = interfaces.get(name)
  if (on === undefined) return invalidField('interface', 'does not exist', 'unknown')
  try {
    const row = await newPeerRow(trx, on, { input, context, ...(keys === undefined ? {} : { keys }) })
    await store.insertPeerRow(trx, row)
    if (input.ip === undefined) interfaces.set(name, { ...on, next_host: row.ip_number + 1 })
    return row
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
