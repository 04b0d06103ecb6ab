import { likePattern, type Page } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsRecordRow } from '../tables.ts'
import type { DnsRecordListQuery } from './schema.ts'

type Db = Kysely<Tables>

/** Rows inserted by one statement. */
const rowsPerInsert = 100

/** By name, wildcards behind the name itself. */
export async function listRecordRows(db: Db, query: DnsRecordListQuery): Promise<Page<DnsRecordRow>> {
  const search = query.search?.trim().toLowerCase().replace(/^\*\./, '') ?? ''
  const pattern = `%${likePattern(search)}%`
  const found = db
    .selectFrom('dns_records')
    .$if(search !== '', (records) =>
      records.where(sql<SqlBool>`(domain like ${pattern} escape '\\' or lower(value) like ${pattern} escape '\\')`),
    )
    .$if(query.type !== undefined, (records) => records.where('type', '=', query.type ?? 'A'))
  const rows = await found
    .selectAll()
    .orderBy('domain')
    .orderBy('below_only')
    .orderBy('type')
    .orderBy('created_at')
    .orderBy('id')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const { count } = await found.select((record) => record.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { rows, total: count }
}

/** Reads all records, the oldest first. */
export function allRecordRows(db: Db): Promise<DnsRecordRow[]> {
  return db.selectFrom('dns_records').selectAll().orderBy('created_at').orderBy('id').execute()
}

export function findRecordRow(db: Db, id: string): Promise<DnsRecordRow | undefined> {
  return db.selectFrom('dns_records').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Inserts all rows or none. */
export function insertRecordRows(db: Db, rows: readonly DnsRecordRow[]): Promise<void> {
  return replaceRecordRows(db, [], rows)
}

/** Deletes rows and inserts others, all of it or nothing. */
export async function replaceRecordRows(
  db: Db,
  remove: readonly string[],
  rows: readonly DnsRecordRow[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let at = 0; at < remove.length; at += rowsPerInsert)
      await trx
        .deleteFrom('dns_records')
        .where('id', 'in', remove.slice(at, at + rowsPerInsert))
        .execute()
    for (let at = 0; at < rows.length; at += rowsPerInsert)
      await trx
        .insertInto('dns_records')
        .values(rows.slice(at, at + rowsPerInsert))
        .execute()
  })
}

export async function updateRecordRow(db: Db, id: string, changes: Partial<Omit<DnsRecordRow, 'id'>>): Promise<void> {
  await db.updateTable('dns_records').set(changes).where('id', '=', id).execute()
}

export async function deleteRecordRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('dns_records').where('id', '=', id).execute()
}
