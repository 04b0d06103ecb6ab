import { likePattern, type Page } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { ManagedRecordRow } from '../tables.ts'
import type { ManagedRecordListQuery } from './schema.ts'

type Db = Kysely<Tables>

/** Columns that tell records apart. */
export type ManagedRecordKey = Pick<ManagedRecordRow, 'domain' | 'below_only' | 'type' | 'value'>

/** Rows inserted by one statement. */
const rowsPerInsert = 100

/** Reads all managed records, in the order of their names. */
export function allManagedRows(db: Db): Promise<ManagedRecordRow[]> {
  return db
    .selectFrom('managed_dns_records')
    .selectAll()
    .orderBy('domain')
    .orderBy('below_only')
    .orderBy('type')
    .execute()
}

/** Reads a page of the managed records, in the order of their names. */
export async function listManagedRows(
  db: Db,
  { search = '', limit, offset }: ManagedRecordListQuery,
): Promise<Page<ManagedRecordRow>> {
  const text = search.trim().toLowerCase().replace(/^\*\./, '')
  const pattern = `%${likePattern(text)}%`
  const found = db
    .selectFrom('managed_dns_records')
    .$if(text !== '', (records) =>
      records.where(
        sql<SqlBool>`(domain like ${pattern} escape '\\' or value like ${pattern} escape '\\' or manager like ${pattern} escape '\\')`,
      ),
    )
  const rows = await found
    .selectAll()
    .orderBy('domain')
    .orderBy('below_only')
    .orderBy('type')
    .orderBy('value')
    .limit(limit)
    .offset(offset)
    .execute()
  const { count } = await found.select((record) => record.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { rows, total: count }
}

/** Deletes records and writes others, all of it or nothing. */
export async function changeManagedRows(
  db: Db,
  remove: readonly ManagedRecordKey[],
  put: readonly ManagedRecordRow[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const { domain, below_only: below, type, value } of remove)
      await trx
        .deleteFrom('managed_dns_records')
        .where('domain', '=', domain)
        .where('below_only', '=', below)
        .where('type', '=', type)
        .where('value', '=', value)
        .execute()
    for (let at = 0; at < put.length; at += rowsPerInsert)
      await trx
        .insertInto('managed_dns_records')
        .values(put.slice(at, at + rowsPerInsert))
        .onConflict((conflict) =>
          conflict
            .columns(['domain', 'below_only', 'type', 'value'])
            .doUpdateSet((row) => ({ ttl: row.ref('excluded.ttl') })),
        )
        .execute()
  })
}

/** Deletes all records of a service, and returns their number. */
export async function deleteManagedRows(db: Db, manager: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('managed_dns_records')
    .where('manager', '=', manager)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
