import type { Database, Page } from '@hearth/database'
import { type Clock, createKeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import { ownerOf } from '../records/record-set.ts'
import { isFault, readRecord } from '../records/record-value.ts'
import type { HostRecord } from '../records/resolver-records.ts'
import { allRecordRows } from '../records/store.ts'
import type { DnsRecordRow, ManagedRecordRow } from '../tables.ts'
import {
  type ManagedRecord,
  type ManagedRecordChange,
  type ManagedRecordEntry,
  type ManagedRecordListQuery,
  type ManagedRecordReport,
  maxManagedRecords,
} from './schema.ts'
import * as store from './store.ts'

export interface ManagedRecordDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Resolves when the stored records hold for the next query (true), or the resolver does not answer (false). */
  readonly publish: () => Promise<boolean>
}

/** Number of changes that wait for others. */
const maxWaiting = 100

/**
 * Local records that other services keep. Each service reads and changes its own alone; where an operator has an address for a
 * name, that one is answered.
 */
export class ManagedRecordSets {
  readonly #dependencies: ManagedRecordDependencies
  readonly #db: Kysely<Tables>
  readonly #queue = createKeyedQueue(maxWaiting)

  constructor(dependencies: ManagedRecordDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(manager: string): Promise<ManagedRecord[]> {
    const rows = (await store.allManagedRows(this.#db)).filter((row) => row.manager === manager)
    const taken = takenNames(await allRecordRows(this.#db))
    return rows.map((row) => recordView(row, taken))
  }

  /** A page of the records of all services. */
  async page(query: ManagedRecordListQuery): Promise<Page<ManagedRecordEntry>> {
    const { rows, total } = await store.listManagedRows(this.#db, query)
    const taken = takenNames(await allRecordRows(this.#db))
    return { rows: rows.map((row) => Object.assign(recordView(row, taken), { manager: row.manager })), total }
  }

  /** Changes the records of one service. What cannot be is left out and named; the rest is done, as one. */
  async change(
    manager: string,
    { put, remove }: ManagedRecordChange,
  ): Promise<ManagedRecordReport & { inForce: boolean }> {
    const report = await this.#queue.run('records', async () => {
      const all = await store.allManagedRows(this.#db)
      const own = new Map(all.filter((row) => row.manager === manager).map((row) => [keyOf(row), row]))
      const gone = remove.flatMap((record) => {
        const read = readRecord(record)
        return isFault(read) ? [] : (own.get(keyOf(columnsOf(read))) ?? [])
      })
      const { rows, refused } = this.#checked(manager, put, { all, own, gone })
      if (gone.length + rows.length > 0) await store.changeManagedRows(this.#db, gone, rows)
      const taken = rows.length === 0 ? undefined : takenNames(await allRecordRows(this.#db))
      const overridden = [...new Set(rows.map(nameOf))].filter((name) => taken?.has(name))
      return { put: rows.length, removed: gone.length, refused, overridden }
    })
    return { ...report, inForce: report.put + report.removed === 0 || (await this.#dependencies.publish()) }
  }

  /** Removes all records of a service. */
  async clear(manager: string): Promise<{ removed: number; inForce: boolean }> {
    const removed = await this.#queue.run('records', () => store.deleteManagedRows(this.#db, manager))
    return { removed, inForce: removed === 0 || (await this.#dependencies.publish()) }
  }

  #checked(
    manager: string,
    put: ManagedRecordChange['put'],
    known: { all: readonly ManagedRecordRow[]; own: ReadonlyMap<string, ManagedRecordRow>; gone: readonly object[] },
  ): { rows: ManagedRecordRow[]; refused: ManagedRecordReport['refused'] } {
    const managers = new Map(known.all.map((row) => [nameOf(row), row.manager]))
    const rows = new Map<string, ManagedRecordRow>()
    const refused: ManagedRecordReport['refused'] = []
    let left = maxManagedRecords - known.all.length + known.gone.length
    for (const { ttl, ...record } of put) {
      const refuse = (message: string) => void refused.push({ ...record, message })
      const read = readRecord(record)
      if (isFault(read)) {
        refuse(`${read.field} ${read.message}`)
        continue
      }
      const row = { manager, ...columnsOf(read), type: record.type, ttl, created_at: this.#dependencies.clock.now() }
      const other = managers.get(nameOf(row))
      const isNew = !known.own.has(keyOf(row)) && !rows.has(keyOf(row))
      if (other !== undefined && other !== manager) refuse(`${nameOf(row)} is kept by ${other}`)
      else if (isNew && left <= 0) refuse(`There are ${maxManagedRecords} managed records, no more fit`)
      else {
        rows.set(keyOf(row), row)
        if (isNew) left -= 1
      }
    }
    return { rows: [...rows.values()], refused }
  }
}

function recordView(row: ManagedRecordRow, taken: ReadonlySet<string>): ManagedRecord {
  const name = nameOf(row)
  return { name, type: row.type, value: row.value, ttl: row.ttl, overridden: taken.has(name) }
}

type Columns = Pick<ManagedRecordRow, 'domain' | 'below_only' | 'value'> & { readonly type: string }

const columnsOf = (read: { domain: string; belowOnly: boolean; type: string; value: string }) => ({
  domain: read.domain,
  below_only: Number(read.belowOnly),
  type: read.type,
  value: read.value,
})

const keyOf = ({ domain, below_only: below, type, value }: Columns): string => `${below} ${domain} ${type} ${value}`

const nameOf = ({ domain, below_only: below }: Pick<ManagedRecordRow, 'domain' | 'below_only'>): string =>
  ownerOf({ domain, belowOnly: below === 1 })

/** Returns the managed records that are answered: those of names for which operators have no addresses. */
export async function managedHosts(db: Kysely<Tables>, rows: readonly DnsRecordRow[]): Promise<HostRecord[]> {
  const taken = takenNames(rows)
  const managed = await store.allManagedRows(db)
  return managed
    .filter((row) => !taken.has(nameOf(row)))
    .map(({ domain, below_only: below, type, value, ttl }) => ({ domain, belowOnly: below === 1, type, value, ttl }))
}

/** Names for which operators have addresses or aliases. */
function takenNames(rows: readonly DnsRecordRow[]): Set<string> {
  return new Set(rows.filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME').map(nameOf))
}
