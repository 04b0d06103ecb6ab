import { randomUUIDv7 } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Page } from '@hearth/database'
import type { OpenGuarded } from '@hearth/outbound'
import { createKeyedQueue, type Log, systemTimers, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { nameKey } from '../envelope.ts'
import { conflict, namedConflict, notFound } from '../problems.ts'
import type { ListRow, Tables } from '../tables.ts'
import { maxLists } from '../dns/policy/membership.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { defaultLists } from './default-lists.data.ts'
import { dueAt, Updates, type UpdateSchedule } from './updates.ts'
import { examineText, textPath } from './compile.ts'
import type { FetchTiming } from './fetch-list.ts'
import { resolverListsOf, unsupportedOf, viewOfRow } from './list-view.ts'
import type { BlockList, BlockListChange, BlockListCreate, UpdateReport } from './schema.ts'
import * as store from './store.ts'
import { updateList } from './update-list.ts'

/** Interval between checks for due lists, and maximum time that a caller waits for the end of an update; milliseconds. */
const checkEveryMs = 60_000
const patienceMs = 3000

/** Dependencies of `createLists`. */
export interface ListDependencies {
  readonly database: Database<Tables>
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  /** From `createOpenGuarded`: its policy looks names up by the system's resolver, so that lists never block their own hosts. */
  readonly open: OpenGuarded
  /** Puts exactly these lists in force: writes `lists.json` and notifies the resolver, which compiles them. */
  readonly publish: (lists: readonly ResolverList[]) => Promise<unknown>
  readonly schedule: () => UpdateSchedule
  /** Called at each step of an update. */
  readonly onProgress?: (report: UpdateReport) => void
  readonly timers?: Timers
  readonly timing?: FetchTiming
}

/** Opens the lists; a new install gets the default ones. Nothing is fetched before the first update by an administrator. */
export async function createLists(dependencies: ListDependencies): Promise<Lists> {
  const lists = new Lists(dependencies)
  await lists.makeDefaults()
  await lists.cleanUp()
  lists.watch()
  return lists
}

/** Block lists: which there are, their texts, and when these are fetched. */
export class Lists {
  readonly #dependencies: ListDependencies
  readonly #db: Kysely<Tables>
  readonly #timers: Timers
  readonly #updates: Updates
  readonly #queue = createKeyedQueue(64)
  #cancelCheck: () => void = () => undefined

  constructor(dependencies: ListDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
    this.#timers = dependencies.timers ?? systemTimers
    const { directory, open, log, timing } = dependencies
    const updateDependencies = { db: this.#db, clock: this.#timers, directory, open, queue: this.#queue, timing }
    this.#updates = new Updates({
      log,
      clock: this.#timers,
      update: (id, signal) => updateList(updateDependencies, id, signal),
      publish: () => this.#publish(),
      onProgress: (report) => dependencies.onProgress?.(report),
    })
  }

  async makeDefaults(): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      if (!(await store.markListsMade(trx))) return
      for (const [number, { name, url, isEnabled }] of defaultLists.entries())
        await store.insertListRow(trx, this.#newRow({ name, url, enabled: isEnabled, format: 'auto' }, number))
    })
  }

  /** Deletes texts without a list, and fetches lost texts again. */
  async cleanUp(): Promise<void> {
    const lost = await removeStrayTexts(this.#dependencies.directory, await store.allListRows(this.#db))
    const wanted = lost.filter((row) => row.enabled === 1)
    if (wanted.length > 0) this.#updates.start(wanted)
  }

  /** Checks every minute which lists are due. */
  watch(): void {
    this.#cancelCheck = this.#timers.after(checkEveryMs, () => {
      void this.#startDue()
        .catch((error: unknown) => this.#dependencies.log.error({ err: error }, 'due lists could not be checked'))
        .then(() => this.watch())
    })
  }

  async #startDue(): Promise<void> {
    const schedule = this.#dependencies.schedule()
    const rows = await store.allListRows(this.#db)
    const now = this.#timers.now()
    const due = rows.filter((row) => (dueAt(row, schedule, now) ?? Infinity) <= now)
    if (due.length > 0) this.#updates.start(due)
  }

  /** `isFull` shows whole addresses. */
  async list(page: { limit: number; offset: number }, isFull: boolean): Promise<Page<BlockList>> {
    const { rows, total } = await store.listPage(this.#db, page)
    return { rows: rows.map((row) => viewOfRow(row, isFull)), total }
  }

  /** Adds a list and begins to fetch it, when it is enabled. */
  async create(input: BlockListCreate): Promise<BlockList> {
    const row = await this.#queue.run('all', async () => {
      const made = this.#newRow(input, freeNumber(await store.allListRows(this.#db)))
      await unique(() => store.insertListRow(this.#db, made))
      return made
    })
    if (row.enabled === 1) this.#updates.start([row])
    return viewOfRow(row, true)
  }

  /** Changes a list. When it resolves, the change is in force, but for texts that must be fetched first. */
  async update(id: string, changes: BlockListChange): Promise<BlockList> {
    const row = await this.#queue.run(id, () => this.#change(id, changes))
    const hasText = row.sha256 !== null
    if (hasText) await this.#tryPublish()
    const isAnother = changes.url !== undefined || changes.format !== undefined
    if (row.enabled === 1 && (!hasText || isAnother)) this.#updates.start([row], isAnother)
    return viewOfRow(row, true)
  }

  async #change(id: string, changes: BlockListChange): Promise<ListRow> {
    const row = await this.#find(id)
    const values = changedValues(row, changes)
    const changed = { ...row, ...values }
    if (changed.format !== row.format && row.sha256 !== null) {
      const report = await examineText(this.#dependencies.directory, changed)
      values.entries = report.entries
      values.unsupported = unsupportedOf(report)
    }
    if (Object.keys(values).length > 0) await unique(() => store.updateListRow(this.#db, id, values))
    return { ...row, ...values }
  }

  async remove(id: string): Promise<BlockList> {
    const row = await this.#queue.run(id, async () => {
      const deleted = await store.deleteListRow(this.#db, id)
      if (deleted === undefined) throw notFound(`list ${id}`)
      return deleted
    })
    if (row.sha256 !== null) await this.#tryPublish()
    await rm(textPath(this.#dependencies.directory, row.id), { force: true })
    return viewOfRow(row, true)
  }

  /** Begins an update of all enabled lists, or joins the running one; waits a few seconds for its end. */
  async startUpdate(): Promise<UpdateReport> {
    const rows = await store.allListRows(this.#db)
    this.#updates.start(rows.filter((row) => row.enabled === 1))
    const report = await this.#updates.report(patienceMs)
    return report ?? { started_at: new Date(this.#timers.now()).toISOString(), status: 'done', lists: [] }
  }

  /** The lists the resolver runs by: enabled ones with a text. For the files it starts from. */
  async resolverLists(): Promise<ResolverList[]> {
    return resolverListsOf(await store.allListRows(this.#db))
  }

  /** Stops fetching; what is under way is left as it was. */
  async close(): Promise<void> {
    this.#cancelCheck()
    await this.#updates.close()
    await this.#queue.idle()
  }

  async #find(id: string): Promise<ListRow> {
    const row = await store.findListRow(this.#db, id)
    if (row === undefined) throw notFound(`list ${id}`)
    return row
  }

  /** Reads the lists when it runs, so that of several concurrent changes the last publication has all. */
  async #publish(): Promise<void> {
    await this.#queue.run('publish', async () => {
      await this.#dependencies.publish(await this.resolverLists())
    })
  }

  /** The change is stored, and the resolver reads it when it comes back. */
  async #tryPublish(): Promise<void> {
    await this.#publish().catch((error: unknown) =>
      this.#dependencies.log.error({ err: error }, 'the lists could not be put in force'),
    )
  }

  #newRow({ name, url, format, enabled }: BlockListCreate, number: number): ListRow {
    const nothing = { sha256: null, last_updated: null, last_checked: null, last_error: null, etag: null }
    return {
      ...nothing,
      id: randomUUIDv7(),
      number,
      name,
      name_key: nameKey(name),
      url,
      format,
      enabled: Number(enabled),
      entries: 0,
      unsupported: unsupportedOf({ unsupported: {}, examples: [] }),
      last_modified: null,
      expires_seconds: null,
      created_at: this.#timers.now(),
    }
  }
}

/**
 * Removes what no list owns from the folder of texts: drafts of an update that was cut off, texts of deleted lists. Returns the
 * lists whose text ought to be there and is not, as after a backup was restored, which holds none.
 *
 * @param directory `DATA_DIR/dns`
 */
async function removeStrayTexts(directory: string, rows: readonly ListRow[]): Promise<ListRow[]> {
  const folder = join(directory, 'lists')
  const files = new Set(await readdir(folder).catch(() => []))
  const owned = new Set(rows.map(({ id }) => `${id}.txt`))
  for (const file of files) if (!owned.has(file)) await rm(join(folder, file), { force: true, recursive: true })
  return rows.filter(({ id, sha256 }) => sha256 !== null && !files.has(`${id}.txt`))
}

const unique = <T>(write: () => Promise<T>): Promise<T> => namedConflict('list', ['url', 'name'], write)

/** The next number behind those in use, so that what the query log says of a deleted list is not said of a new one at once. */
function freeNumber(rows: readonly ListRow[]): number {
  const taken = new Set(rows.map((row) => row.number))
  if (taken.size >= maxLists) throw conflict('name', `There are ${maxLists} lists already; delete one first`)
  let number = (Math.max(-1, ...taken) + 1) % maxLists
  while (taken.has(number)) number = (number + 1) % maxLists
  return number
}

/** A text from another address is another text: what is known of the old one must not keep it from being sent. */
function changedValues(row: ListRow, { name, url, format, enabled }: BlockListChange): Partial<ListRow> {
  return {
    ...(name === undefined ? {} : { name, name_key: nameKey(name) }),
    ...(url === undefined || url === row.url ? {} : { url, etag: null, last_modified: null }),
    ...(format === undefined ? {} : { format }),
    ...(enabled === undefined ? {} : { enabled: Number(enabled) }),
  }
}
