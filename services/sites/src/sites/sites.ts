import { isDeepStrictEqual } from 'node:util'
import { acquireLock, uniqueViolation, type Database, type Page } from '@hearth/database'
import { createKeyedQueue, type Clock, type KeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Publish } from '../events/schema.ts'
import { conflict, notFound, Problem } from '../problems.ts'
import type { SiteListQuery } from './list-schema.ts'
import type { Preview } from './preview-schema.ts'
import type { CheckWanted, SettleWanted } from './check-wanted.ts'
import { readableIssues, type UnreadableEdit } from './rules/readable-issues.ts'
import type { FieldIssue } from './rules/rule-context.ts'
import type { Site, SiteCreate, SitePatch } from './schema.ts'
import { changedSite, wantedOfRow, type WantedSite } from './site-change.ts'
import { siteOfRow, writeSite } from './site-row.ts'
import { findDomainOwners } from './domain-store.ts'
import * as store from './store.ts'
import type { SiteRow, SiteTables } from './tables.ts'
import type { Synced, SyncSites } from './sync.ts'

/** Result of an edit: the site, and how it was applied. */
export interface SiteEdit {
  readonly status: 'created' | 'updated' | 'deleted' | 'no_change'
  readonly site: Site
  readonly synced: Synced
}

/** Author and condition of an edit. */
export interface EditOptions {
  readonly author: string
  /** The edit is refused when the site is another revision by now. */
  readonly revision?: number
  /** False leaves the applying to the background: the answer comes at once. */
  readonly isWaiting?: boolean
}

export interface SiteDependencies {
  readonly database: Database<SiteTables>
  readonly clock: Clock
  readonly settle: SettleWanted
  readonly check: CheckWanted
  readonly preview: (wanted: WantedSite, id: number | undefined) => Promise<Preview>
  readonly sync: SyncSites
  readonly publish: Publish
  readonly nodeNames: () => Promise<ReadonlyMap<number, string>>
}

/** Lock of transactions that check for free names, domains and numbers. */
export const siteLock = 12
/** Edits of one site that wait for each other. */
const maxWaiting = 20

/**
 * The sites and the rules about them. An edit is kept only when Caddy takes it: otherwise everything is as it was, and a problem
 * with Caddy's message is thrown.
 */
export class Sites {
  readonly #dependencies: SiteDependencies
  readonly #queues: KeyedQueue = createKeyedQueue(maxWaiting)

  constructor(dependencies: SiteDependencies) {
    this.#dependencies = dependencies
  }

  async list(query: SiteListQuery): Promise<Page<Site>> {
    const { rows, total } = await store.listSiteRows(this.#db, query)
    return { rows: await this.#view(rows), total }
  }

  async get(id: number): Promise<Site> {
    const [site] = await this.#view([await this.#find(id)])
    if (site === undefined) throw notFound('site')
    return site
  }

  async create(input: SiteCreate, options: EditOptions): Promise<SiteEdit> {
    const wanted = await changedSite(undefined, input)
    await checkFree(this.#db, wanted, 0)
    const settled = await this.#settle(wanted, undefined)
    const row = await this.#write(undefined, settled, options)
    return await this.#apply({ row, before: undefined, status: 'created' }, options)
  }

  /**
   * Changes a site. Of a patch only the given members change; a whole site replaces all members but the passwords of users who
   * stay.
   */
  edit(id: number, input: SiteCreate | SitePatch, options: EditOptions): Promise<SiteEdit> {
    return this.#queues.run(`site ${id}`, async () => {
      const before = await this.#find(id)
      checkRevision(before, options)
      const earlier = wantedOfRow(before)
      const wanted = await changedSite(earlier, input)
      if (isDeepStrictEqual({ record: wanted.record, extras: wanted.extras }, earlier))
        return { status: 'no_change', site: await this.get(id), synced: { status: 'no_change' } }
      await checkFree(this.#db, wanted, id)
      const settled = await this.#settle(wanted, id)
      const row = await this.#write(before, settled, options)
      return await this.#apply({ row, before, status: 'updated' }, options)
    })
  }

  remove(id: number, options: EditOptions): Promise<SiteEdit> {
    return this.#queues.run(`site ${id}`, async () => {
      const before = await this.#find(id)
      checkRevision(before, options)
      const site = await this.get(id)
      await this.#withLock((trx) => store.deleteSiteRow(trx, id))
      const done = await this.#apply({ row: undefined, before, status: 'deleted' }, options)
      return { ...done, site }
    })
  }

  /** Previews an edit: what it would change, and Caddy's answer to it. */
  async preview(id: number | undefined, input: SiteCreate | SitePatch): Promise<Preview> {
    const before = id === undefined ? undefined : wantedOfRow(await this.#find(id))
    return await this.#dependencies.preview(await changedSite(before, input), id)
  }

  /** Checks those members of an unreadable body that can be read; see `readableIssues`. */
  async issuesBeside(edit: UnreadableEdit): Promise<FieldIssue[]> {
    const row = edit.id === undefined ? undefined : await store.findSiteRow(this.#db, edit.id)
    return await readableIssues(edit, row === undefined ? undefined : wantedOfRow(row), this.#dependencies.check)
  }

  /** Settles a wanted site. A name or domain that was taken meanwhile is a conflict, whatever the rules say. */
  async #settle(wanted: WantedSite, id: number | undefined): Promise<WantedSite> {
    try {
      return await this.#dependencies.settle(wanted, id)
    } catch (error) {
      await checkFree(this.#db, wanted, id ?? 0)
      throw error
    }
  }

  #write(before: SiteRow | undefined, wanted: WantedSite, { author }: EditOptions): Promise<SiteRow> {
    const now = this.#dependencies.clock.now()
    return this.#withLock(async (trx) => {
      const id = before?.id ?? (await store.nextSiteId(trx))
      await checkFree(trx, wanted, id)
      return await writeSite(trx, wanted, { id, createdAt: before?.created_at ?? now, now, author })
    })
  }

  /** Applies an edit; when it cannot be, everything is as it was. */
  async #apply(
    edit: { row: SiteRow | undefined; before: SiteRow | undefined; status: 'created' | 'updated' | 'deleted' },
    { author, isWaiting = true }: EditOptions,
  ): Promise<SiteEdit> {
    const id = edit.row?.id ?? edit.before?.id ?? 0
    const change = { siteIds: [id], cause: `site.${edit.status}`, author }
    const { sync } = this.#dependencies
    const synced = isWaiting
      ? await sync.now(change).catch((error: unknown) => this.#undo(edit, error))
      : sync.later(change)
    const row = edit.row === undefined ? edit.before : await store.findSiteRow(this.#db, id)
    if (row === undefined) throw conflict('The site was removed by somebody else meanwhile', 'removed_meanwhile')
    const [site] = await this.#view([row])
    this.#dependencies.publish({ type: 'site', action: edit.status, id: String(id), details: { site_name: row.name } })
    return { status: edit.status, site: site as Site, synced }
  }

  /** Restores the previous version, unless another user has edited or removed the site since. */
  async #undo(
    { row, before }: { row: SiteRow | undefined; before: SiteRow | undefined },
    error: unknown,
  ): Promise<never> {
    const id = row?.id ?? before?.id ?? 0
    await this.#withLock(async (trx) => {
      const now = await store.findSiteRow(trx, id)
      if (now?.revision !== row?.revision) return
      await (before === undefined ? store.deleteSiteRow(trx, id) : store.putSiteRow(trx, before))
      await store.forgetRefusals(trx, id)
    })
    throw error
  }

  async #withLock<T>(work: (trx: Kysely<SiteTables>) => Promise<T>): Promise<T> {
    const { database } = this.#dependencies
    try {
      return await database.query.transaction().execute(async (trx) => {
        await acquireLock(database.kind, trx, siteLock)
        return await work(trx)
      })
    } catch (error) {
      if (uniqueViolation(error)?.includes('name_key') !== true) throw error
      throw conflict('site_name: another site has this name', 'name_taken')
    }
  }

  async #view(rows: readonly SiteRow[]): Promise<Site[]> {
    const states = await store.findStates(
      this.#db,
      rows.map(({ id }) => id),
    )
    const names = await this.#dependencies.nodeNames()
    const statesOf = Map.groupBy(states, (state) => state.site_id)
    return rows.map((row) => siteOfRow(row, statesOf.get(row.id) ?? [], names))
  }

  async #find(id: number): Promise<SiteRow> {
    const row = await store.findSiteRow(this.#db, id)
    if (row === undefined) throw notFound('site')
    return row
  }

  get #db(): Kysely<SiteTables> {
    return this.#dependencies.database.query
  }
}

function checkRevision(row: SiteRow, { revision }: EditOptions): void {
  if (revision === undefined || revision === row.revision) return
  throw new Problem(412, `The site is revision ${row.revision} by now`, { code: 'revision_changed' })
}

/** Throws a conflict for a name or domain of another site, whatever else is wrong. */
async function checkFree(db: Kysely<SiteTables>, { record }: WantedSite, id: number): Promise<void> {
  const namesake = await store.findSiteOfName(db, record.site_name)
  if (namesake !== undefined && namesake.id !== id)
    throw conflict('site_name: another site has this name', 'name_taken')
  for (const [domain, owner] of await findDomainOwners(db, record.domains)) {
    if (owner === id) continue
    const other = await store.findSiteRow(db, owner)
    throw conflict(`domains: ${domain} belongs to the site ${other?.name ?? owner}`, 'domain_taken')
  }
}
