import type { Kysely } from 'kysely'
import type { SiteTables } from '../sites/tables.ts'
import type { RecordChoice } from './schema.ts'
import type { VpnLinkRow, VpnLinkTables } from './tables.ts'

type Db = Kysely<VpnLinkTables & SiteTables>

const rowId = 1

/** Returns the link; undefined before anything was set. */
export function findLinkRow(db: Db): Promise<VpnLinkRow | undefined> {
  return db.selectFrom('vpn_link').selectAll().where('id', '=', rowId).executeTakeFirst()
}

/** Writes the link as a whole. */
export async function putLinkRow(db: Db, row: Omit<VpnLinkRow, 'id'>): Promise<void> {
  await db
    .insertInto('vpn_link')
    .values({ id: rowId, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** Writes what the VPN said about its interfaces, unless the link has changed since it was asked. */
export async function noteTunnels(
  db: Db,
  link: Pick<VpnLinkRow, 'address' | 'token_sealed'>,
  { tunnels, at }: { tunnels: string; at: number },
): Promise<void> {
  await db
    .updateTable('vpn_link')
    .set({ tunnels, tunnels_at: at })
    .where('id', '=', rowId)
    .where('address', '=', link.address)
    .where('token_sealed', '=', link.token_sealed)
    .execute()
}

/** Returns the names of enabled sites that get records. */
export async function namesForRecords(db: Db, choice: RecordChoice): Promise<string[]> {
  if (choice === 'none') return []
  let sites = db
    .selectFrom('site_domains')
    .innerJoin('sites', 'sites.id', 'site_domains.site_id')
    .select('site_domains.domain')
    .where('sites.enabled', '=', 1)
  if (choice === 'limited') sites = sites.where('sites.reach', '!=', 'everyone')
  return (await sites.orderBy('site_domains.domain').execute()).map(({ domain }) => domain)
}

/** Returns the names of the sites that are reached from the tunnel only, enabled or not. */
export async function tunnelSiteNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('sites').select('name').where('reach', '=', 'tunnel').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
