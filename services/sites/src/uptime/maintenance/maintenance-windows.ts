import { randomUUID } from 'node:crypto'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, notFound } from '../../problems.ts'
import type { MaintenanceWindowRow, UptimeTables } from '../tables.ts'
import { isActive, occurrenceAt } from './occurrences.ts'
import type { MaintenanceWindow, MaintenanceWindowValues } from './schema.ts'
import { allWindowRows, deleteWindowRow, putWindowRow } from './store.ts'

/** Most windows that there may be. */
const maxWindows = 200

/** A window with its sites read. */
interface KnownWindow {
  readonly row: MaintenanceWindowRow
  /** Undefined for all sites. */
  readonly siteIds: ReadonlySet<number> | undefined
}

/** The maintenance windows, kept in memory for the checks. */
export class MaintenanceWindows {
  readonly #db: Kysely<UptimeTables>
  readonly #clock: Clock
  readonly #onChanged: () => void
  #known: readonly KnownWindow[] = []

  constructor(dependencies: { db: Kysely<UptimeTables>; clock: Clock; onChanged: () => void }) {
    this.#db = dependencies.db
    this.#clock = dependencies.clock
    this.#onChanged = dependencies.onChanged
  }

  /** Reads the windows; edits of the command line are known after that. */
  async read(): Promise<void> {
    this.#known = (await allWindowRows(this.#db)).map((row) => ({
      row,
      siteIds: row.site_ids === null ? undefined : new Set(JSON.parse(row.site_ids) as number[]),
    }))
  }

  /** Returns true while a window of the site holds. */
  isActive(siteId: number): boolean {
    const now = this.#clock.now()
    return this.#known.some(({ row, siteIds }) => (siteIds?.has(siteId) ?? true) && isActive(row, now))
  }

  async list(): Promise<MaintenanceWindow[]> {
    await this.read()
    return this.#known.map(({ row }) => viewOf(row, this.#clock.now()))
  }

  async create(values: MaintenanceWindowValues): Promise<MaintenanceWindow> {
    if ((await allWindowRows(this.#db)).length >= maxWindows)
      throw conflict(`There are ${maxWindows} maintenance windows already; delete one that is over`)
    return this.#put({ id: randomUUID(), ...columnsOf(values), created_at: this.#clock.now() })
  }

  async update(id: string, values: MaintenanceWindowValues): Promise<MaintenanceWindow> {
    const before = (await allWindowRows(this.#db)).find((row) => row.id === id)
    if (before === undefined) throw notFound('maintenance window')
    return this.#put({ ...before, ...columnsOf(values) })
  }

  async remove(id: string): Promise<void> {
    if (!(await deleteWindowRow(this.#db, id))) throw notFound('maintenance window')
    await this.#changed()
  }

  async #put(row: MaintenanceWindowRow): Promise<MaintenanceWindow> {
    await putWindowRow(this.#db, row)
    await this.#changed()
    return viewOf(row, this.#clock.now())
  }

  async #changed(): Promise<void> {
    await this.read()
    this.#onChanged()
  }
}

function columnsOf(values: MaintenanceWindowValues): Omit<MaintenanceWindowRow, 'id' | 'created_at'> {
  const { name, site_ids: siteIds, starts_at: start, ends_at: end, repeats, time_zone } = values
  return {
    name,
    site_ids: siteIds === null ? null : JSON.stringify(siteIds),
    starts_at: Date.parse(start),
    ends_at: Date.parse(end),
    repeats,
    time_zone,
  }
}

function viewOf(row: MaintenanceWindowRow, now: number): MaintenanceWindow {
  const next = occurrenceAt(row, now)
  return {
    id: row.id,
    name: row.name,
    site_ids: row.site_ids === null ? null : (JSON.parse(row.site_ids) as number[]),
    starts_at: new Date(row.starts_at).toISOString(),
    ends_at: new Date(row.ends_at).toISOString(),
    repeats: row.repeats,
    time_zone: row.time_zone,
    is_active: next !== undefined && next.start <= now,
    next_starts_at: toIsoString(next?.start ?? null),
    next_ends_at: toIsoString(next?.end ?? null),
  }
}
