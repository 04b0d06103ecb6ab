import { likePattern, type Page } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsZoneRow } from '../tables.ts'
import type { DnsZoneListQuery } from './schema.ts'

type Db = Kysely<Tables>

/** By name. */
export async function listZoneRows(db: Db, query: DnsZoneListQuery): Promise<Page<DnsZoneRow>> {
  const pattern = `%${likePattern(query.search?.trim().toLowerCase() ?? '')}%`
  const found = db
    .selectFrom('dns_zones')
    .$if(query.search !== undefined, (zones) =>
      zones.where(sql<SqlBool>`(zone like ${pattern} escape '\\' or lower(servers) like ${pattern} escape '\\')`),
    )
  const rows = await found.selectAll().orderBy('zone').limit(query.limit).offset(query.offset).execute()
  const { count } = await found.select((zone) => zone.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { rows, total: count }
}

/** Reads all zones, the oldest first. */
export function allZoneRows(db: Db): Promise<DnsZoneRow[]> {
  return db.selectFrom('dns_zones').selectAll().orderBy('created_at').orderBy('id').execute()
}

export function findZoneRow(db: Db, id: string): Promise<DnsZoneRow | undefined> {
  return db.selectFrom('dns_zones').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertZoneRow(db: Db, row: DnsZoneRow): Promise<void> {
  await db.insertInto('dns_zones').values(row).execute()
}

export async function updateZoneRow(db: Db, id: string, changes: Partial<Omit<DnsZoneRow, 'id'>>): Promise<void> {
  await db.updateTable('dns_zones').set(changes).where('id', '=', id).execute()
}

export async function deleteZoneRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('dns_zones').where('id', '=', id).execute()
}
