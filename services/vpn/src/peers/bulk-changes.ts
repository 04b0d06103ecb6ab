import type { Kysely } from 'kysely'
import { parseIsoTime } from '@hearth/runtime'
import { updateInterfaceRow } from '../interfaces/store.ts'
import { limitColumns } from '../limits/peer-limits.ts'
import { Problem } from '../problems.ts'
import type { PeerRow, Tables } from '../tables.ts'
import type { TunnelChanges } from '../wireguard/tunnels.ts'
import type { PeerBulkChange } from './bulk-schema.ts'
import { takeBackFromDevice } from './apply-to-device.ts'
import { applyAll, type BulkDependencies, byInterface, withLocks } from './many-devices.ts'
import * as store from './store.ts'
import { maxTags, tagColumns, tagsOf, withoutTag, withTag } from './tags.ts'

/**
 * Changes many peers as one: all of them or none, in one transaction of the database and one change of each tunnel. Returns the
 * number of peers. Throws a `Problem` that names those for which it cannot be.
 */
export async function changeManyPeers(dependencies: BulkDependencies, change: PeerBulkChange): Promise<number> {
  const ids = [...new Set(change.ids)]
  const interfaces = await store.interfacesOfPeers(dependencies.database.query, ids)
  await withLocks(dependencies, interfaces, async (tunnel) => {
    if (change.action === 'delete') await deleteLocked(dependencies, tunnel, change)
    else await updateLocked(dependencies, tunnel, change)
  })
  await dependencies.onChanged(ids)
  return ids.length
}

type BulkUpdate = Exclude<PeerBulkChange, { action: 'delete' }>

async function updateLocked(
  dependencies: BulkDependencies,
  tunnel: TunnelChanges | undefined,
  change: BulkUpdate,
): Promise<void> {
  const { database, clock } = dependencies
  const { rows, changes } = await database.query.transaction().execute(async (trx) => {
    const rows = await findAll(trx, change.ids)
    const now = clock.now()
    const after = rows.map((row) => ({ ...row, ...changedColumns(row, change), updated_at: now }))
    refuse(
      change.ids,
      rows.filter((_, index) => tagsOf(after[index] ?? { tags: '[]' }).length > maxTags),
      {
        code: 'too_many_tags',
        message: `would have more than ${maxTags} tags`,
      },
    )
    await store.updateManyPeerRows(trx, rows, after)
    const transitions = rows.map((before, index) => ({ before, after: after[index] }))
    return { rows, changes: await byInterface(trx, transitions) }
  })
  const undo = () =>
    database.query.transaction().execute(async (trx) => {
      for (const row of rows) await store.updatePeerRow(trx, row.id, row)
    })
  await applyAll(dependencies, tunnel, { changes, undo })
}

async function deleteLocked(
  dependencies: BulkDependencies,
  tunnel: TunnelChanges | undefined,
  { ids }: PeerBulkChange,
): Promise<void> {
  const { database, sampler } = dependencies
  const rows = await findAll(database.query, ids)
  const changes = await byInterface(
    database.query,
    rows.map((before) => ({ before, after: undefined })),
  )
  // Off the devices first: were it the other way round, a failure would leave peers with access and without a record.
  await applyAll(dependencies, tunnel, { changes, undo: () => Promise.resolve() })
  try {
    await database.query.transaction().execute(async (trx) => {
      await store.deletePeerRows(
        trx,
        rows.map(({ id }) => id),
      )
      for (const { on, peers } of changes) {
        const next = peers.reduce((host, { before }) => Math.max(host, (before?.ip_number ?? 0) + 1), on.next_host)
        await updateInterfaceRow(trx, on.name, { next_host: next })
      }
    })
  } catch (error) {
    if (tunnel !== undefined) for (const change of changes) await takeBackFromDevice(dependencies, tunnel, change)
    throw error
  }
  for (const { id } of rows) sampler.forget(id)
}

function changedColumns(row: PeerRow, change: BulkUpdate): Partial<PeerRow> {
  switch (change.action) {
    case 'enable':
      return { enabled: 1 }
    case 'disable':
      return { enabled: 0 }
    case 'set_expiry':
      return { expires_at: change.expires_at === null ? null : (parseIsoTime(change.expires_at) ?? null) }
    case 'set_limit':
      return limitColumns(change)
    case 'add_tag':
      return tagColumns(withTag(tagsOf(row), change.tag))
    case 'remove_tag':
      return tagColumns(withoutTag(tagsOf(row), change.tag))
  }
}

/** Reads the peers, each once. */
async function findAll(db: Kysely<Tables>, given: readonly string[]): Promise<PeerRow[]> {
  const rows = await store.findPlainPeerRows(db, [...new Set(given)])
  const known = new Set(rows.map(({ id }) => id))
  const missing = given.filter((id) => !known.has(id)).map((id) => ({ id, name: id }))
  refuse(given, missing, { code: 'unknown', message: 'does not exist' })
  return rows
}

/** Throws a `Problem` when there are peers for which a change cannot be; it names each, and its place among the ids. */
function refuse(
  ids: readonly string[],
  failing: readonly { readonly id: string; readonly name: string }[],
  { code, message }: { code: string; message: string },
): void {
  const [first] = failing
  if (first === undefined) return
  const others = failing.length === 1 ? '' : ` (and ${failing.length - 1} more like it)`
  const fields = failing.map(({ id }) => ({ path: `ids.${ids.indexOf(id)}`, code, message }))
  const peers = failing.map(({ id, name }) => ({ id, name }))
  throw new Problem('invalid', `The peer ${first.name} ${message}${others}; nothing was changed`, {
    details: { fields, peers },
  })
}
