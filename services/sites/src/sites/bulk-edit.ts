import type { AnyQuery } from '@hearth/accounts'
import { acquireLock, uniqueViolation, type Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict } from '../problems.ts'
import { writeSite } from './site-row.ts'
import type { WantedSite } from './site-change.ts'
import * as store from './store.ts'
import type { SiteChange, SyncedWhole, SyncSites } from './sync.ts'
import type { SiteRow, SiteTables } from './tables.ts'
import { siteLock } from './sites.ts'

/** Many edits that belong together. */
export interface BulkEdit {
  /** Sites as they are to be; those without a number are new, and a number that is gone comes back. */
  readonly put: readonly { readonly id?: number; readonly wanted: WantedSite }[]
  readonly remove: readonly number[]
  /** Revisions that sites must still have; the edit is a conflict when one was changed or deleted meanwhile. */
  readonly unchanged?: ReadonlyMap<number, number>
  /** Written in the same transaction, before the sites. */
  readonly alongside?: (trx: AnyQuery) => Promise<void>
}

/** Result of a bulk edit. Sites that Caddy refused are kept and stay as they were. */
export interface BulkResult {
  readonly ids: readonly number[]
  readonly refused: ReadonlyMap<number, string>
  readonly synced: SyncedWhole
}

/** Edits many sites by one transaction and one change of the configuration. */
export type EditMany = (edit: BulkEdit, about: Omit<SiteChange, 'siteIds'>) => Promise<BulkResult>

/** Creates the function that edits many sites. When nothing can be applied, everything is as before, and a problem is thrown. */
export function createEditMany(dependencies: {
  database: Database<SiteTables>
  clock: Clock
  sync: Pick<SyncSites, 'many'>
}): EditMany {
  const { database, sync } = dependencies
  return async (edit, about) => {
    const before = await rowsOf(database.query, edit)
    const work = database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, siteLock)
      await edit.alongside?.(trx)
      return await write(trx, edit, { author: about.author, now: dependencies.clock.now() })
    })
    const ids = await work.catch((error: unknown) => {
      throw whyNotWritten(error)
    })
    try {
      const { refused, synced } = await sync.many({ siteIds: [...ids, ...edit.remove], ...about })
      return { ids, refused, synced }
    } catch (error) {
      await database.query.transaction().execute((trx) => putBack(trx, before, [...ids, ...edit.remove]))
      throw error
    }
  }
}

/** A name or a domain may have gone to a site that is no part of the edit. */
function whyNotWritten(error: unknown): unknown {
  const taken = uniqueViolation(error)
  if (taken === undefined) return error
  return taken.includes('name_key')
    ? conflict('One of the names is that of another site by now', 'name_taken')
    : conflict('One of the domains belongs to another site by now', 'domain_taken')
}

async function rowsOf(db: Kysely<SiteTables>, { put, remove }: BulkEdit): Promise<SiteRow[]> {
  const wanted = new Set([...put.flatMap(({ id }) => id ?? []), ...remove])
  return (await store.allSiteRows(db)).filter(({ id }) => wanted.has(id))
}

async function write(
  trx: Kysely<SiteTables>,
  { put, remove, unchanged = new Map() }: BulkEdit,
  { author, now }: { author: string; now: number },
): Promise<number[]> {
  for (const [id, revision] of unchanged)
    if ((await store.findSiteRow(trx, id))?.revision !== revision)
      throw conflict('Somebody else changed one of the sites meanwhile', 'changed_meanwhile')
  for (const id of remove) await store.deleteSiteRow(trx, id)
  // Domains and names may move from one of these sites to another.
  const known = new Map<number, SiteRow>()
  for (const { id } of put) {
    const row = id === undefined ? undefined : await store.findSiteRow(trx, id)
    if (row === undefined) continue
    known.set(row.id, row)
    await store.deleteSiteRow(trx, row.id)
  }
  const ids: number[] = []
  let nextId = await store.nextSiteId(trx)
  for (const { id = nextId, wanted } of put) {
    nextId = Math.max(nextId, id + 1)
    await writeSite(trx, wanted, { id, createdAt: known.get(id)?.created_at ?? now, now, author })
    ids.push(id)
  }
  return ids
}

async function putBack(trx: Kysely<SiteTables>, before: readonly SiteRow[], ids: readonly number[]): Promise<void> {
  for (const id of ids) await store.deleteSiteRow(trx, id)
  for (const row of before) await store.putSiteRow(trx, row)
  for (const id of ids) await store.forgetRefusals(trx, id)
}
