import { randomUUIDv7 } from 'node:crypto'
import type { Database, Page } from '@hearth/database'
import { type Clock, createKeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsRecordRow } from '../tables.ts'
import { conflict, invalidField, notFound, Problem } from '../../problems.ts'
import { readRecordLines, type RecordLine } from './record-lines.ts'
import { ownerOf, type RecordConflict, RecordSet } from './record-set.ts'
import { isFault, readRecord, type RecordContent, type RecordFault } from './record-value.ts'
import {
  type DnsRecord,
  type DnsRecordCreate,
  type DnsRecordImport,
  type DnsRecordImportReport,
  type DnsRecordListQuery,
  type DnsRecordUpdate,
  maxReported,
} from './schema.ts'
import * as store from './store.ts'

export interface RecordDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Resolves when the stored records hold for the next query (true), or the resolver does not answer (false). */
  readonly publish: () => Promise<boolean>
}

/** A change of the records that is stored. `inForce`: it holds for the next query; otherwise once the resolver answers again. */
export interface RecordChange {
  readonly record: DnsRecord
  readonly inForce: boolean
}

/** Number of changes that wait for others. */
const maxWaiting = 1000

/** The operator's local records. */
export class LocalRecords {
  readonly #dependencies: RecordDependencies
  readonly #db: Kysely<Tables>
  /** Whether a record fits depends on all others, so changes come one after another. */
  readonly #queue = createKeyedQueue(maxWaiting)

  constructor(dependencies: RecordDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(query: DnsRecordListQuery): Promise<Page<DnsRecord>> {
    const { rows, total } = await store.listRecordRows(this.#db, query)
    return { rows: rows.map(recordView), total }
  }

  async create(input: DnsRecordCreate, by: string): Promise<RecordChange> {
    const content = readOrRefuse(input)
    const row = await this.#alone(async () => {
      refuseConflict((await this.#others()).conflictOf(content))
      const created = this.#row({ ...content, ttl: input.ttl, reverse: input.reverse }, by)
      await store.insertRecordRows(this.#db, [created])
      return created
    })
    return { record: recordView(row), inForce: await this.#dependencies.publish() }
  }

  async update(id: string, changes: DnsRecordUpdate): Promise<RecordChange> {
    const row = await this.#alone(async () => {
      const known = await this.#find(id)
      const { name = ownerOf(contentOf(known)), type = known.type, value = known.value } = changes
      const { ttl = known.ttl, reverse = known.reverse === 1 } = changes
      const content = readOrRefuse({ name, type, value })
      refuseConflict((await this.#others(id)).conflictOf(content))
      const columns = { ...contentColumns(content), ttl, reverse: Number(reverse) }
      await store.updateRecordRow(this.#db, id, columns)
      return { ...known, ...columns }
    })
    return { record: recordView(row), inForce: await this.#dependencies.publish() }
  }

  async remove(id: string): Promise<{ id: string; name: string; inForce: boolean }> {
    const row = await this.#alone(async () => {
      const known = await this.#find(id)
      await store.deleteRecordRow(this.#db, id)
      return known
    })
    return { id, name: ownerOf(contentOf(row)), inForce: await this.#dependencies.publish() }
  }

  /** Creates the records of a text: all of them or none. A dry run creates nothing. */
  async import(input: DnsRecordImport, by: string): Promise<DnsRecordImportReport & { inForce: boolean }> {
    const lines = readRecordLines(input.text)
    const report = await this.#alone(async () => {
      const { rows, ...found } = this.#checked(lines, await this.#others(), by)
      if (input.dry_run) return found
      if (found.faulty > 0) throw refusal(found)
      await store.insertRecordRows(this.#db, rows)
      return found
    })
    const isChanged = !input.dry_run && report.created > 0
    return { ...report, inForce: isChanged ? await this.#dependencies.publish() : true }
  }

  /**
   * Takes records away and creates others, as one. Returns for each of the latter what is wrong with it; with one of them nothing is
   * changed.
   */
  async changeMany(
    { remove, create }: { remove: readonly string[]; create: readonly DnsRecordCreate[] },
    by: string,
  ): Promise<(RecordFault | undefined)[]> {
    const outcomes = await this.#alone(async () => {
      const gone = new Set(remove)
      const set = new RecordSet((await store.allRecordRows(this.#db)).filter(({ id }) => !gone.has(id)).map(contentOf))
      const rows: DnsRecordRow[] = []
      const faults = create.map(({ ttl, reverse, ...input }) => {
        const content = readRecord(input)
        const fault = isFault(content) ? content : set.conflictOf(content)
        if (isFault(content) || fault !== undefined) return fault
        set.add(content)
        rows.push(this.#row({ ...content, ttl, reverse }, by))
        return undefined
      })
      if (faults.every((fault) => fault === undefined)) await store.replaceRecordRows(this.#db, remove, rows)
      return faults
    })
    await this.#dependencies.publish()
    return outcomes
  }

  #checked(lines: readonly RecordLine[], set: RecordSet, by: string) {
    const problems: DnsRecordImportReport['problems'] = []
    const faulty = new Set<number>()
    const rows: DnsRecordRow[] = []
    let existing = 0
    for (const { line, record, fault } of lines) {
      const found = record === undefined ? fault : set.conflictOf(record)
      if (record !== undefined && found === undefined) {
        set.add(record)
        rows.push(this.#row(record, by))
      } else if (found !== undefined && 'isKnown' in found && found.isKnown) existing += 1
      else if (found !== undefined) {
        faulty.add(line)
        if (problems.length < maxReported) problems.push({ line, field: found.field, message: found.message })
      }
    }
    const records = rows.slice(0, maxReported).map(recordView)
    return { rows, created: rows.length, existing, faulty: faulty.size, problems, records }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('records', work)
  }

  async #others(id?: string): Promise<RecordSet> {
    const rows = await store.allRecordRows(this.#db)
    return new RecordSet(rows.filter((row) => row.id !== id).map(contentOf))
  }

  async #find(id: string): Promise<DnsRecordRow> {
    const row = await store.findRecordRow(this.#db, id)
    if (row === undefined) throw notFound(`record ${id}`)
    return row
  }

  #row(record: RecordContent & { readonly ttl: number; readonly reverse: boolean }, by: string): DnsRecordRow {
    return {
      id: randomUUIDv7(),
      ...contentColumns(record),
      ttl: record.ttl,
      reverse: Number(record.reverse),
      created_at: this.#dependencies.clock.now(),
      created_by: by,
    }
  }
}

const contentColumns = ({ domain, belowOnly, type, value }: RecordContent) => ({
  domain,
  below_only: Number(belowOnly),
  type,
  value,
})

const contentOf = ({ id, domain, below_only: belowOnly, type, value }: DnsRecordRow) => ({
  id,
  domain,
  belowOnly: belowOnly === 1,
  type,
  value,
})

const recordView = (row: DnsRecordRow): DnsRecord => ({
  id: row.id,
  name: ownerOf(contentOf(row)),
  type: row.type,
  value: row.value,
  ttl: row.ttl,
  reverse: row.reverse === 1,
  created_at: new Date(row.created_at).toISOString(),
  created_by: row.created_by,
})

function readOrRefuse(input: Parameters<typeof readRecord>[0]): RecordContent {
  const found = readRecord(input)
  if (isFault(found)) throw invalidField(found.field, found.message)
  return found
}

function refuseConflict(found: RecordConflict | undefined): void {
  if (found !== undefined) throw conflict(found.field, found.message, found.id === undefined ? {} : { id: found.id })
}

function refusal({ problems, faulty }: Pick<DnsRecordImportReport, 'problems' | 'faulty'>): Problem {
  const fields = problems.map(({ line, field, message }) => ({
    path: `line ${line}.${field}`,
    code: 'invalid',
    message,
  }))
  const [first] = problems
  const others = faulty === 1 ? '' : ` (and ${faulty - 1} more lines)`
  return new Problem(
    'invalid',
    `Line ${first?.line}, ${first?.field} ${first?.message}${others}; nothing was created`,
    {
      details: { fields },
    },
  )
}
