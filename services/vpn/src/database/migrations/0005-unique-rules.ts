import { sql, type Kysely } from 'kysely'

interface RulesTable {
  dns_rules: { id: string; domain: string; below_only: number; peer_id: string | null; created_at: number }
}

/** One rule for the same names and the same client. Of several that were made at the same moment the newest stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const rules = db as Kysely<RulesTable>
  const rows = await rules
    .selectFrom('dns_rules')
    .select(['id', 'domain', 'below_only', 'peer_id'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const kept = new Set<string>()
  for (const { id, domain, below_only, peer_id } of rows) {
    const key = JSON.stringify([domain, below_only, peer_id])
    if (kept.has(key)) await rules.deleteFrom('dns_rules').where('id', '=', id).execute()
    kept.add(key)
  }
  // Two nulls differ in a unique index, so a rule for everybody counts as one with an empty client.
  await sql`create unique index dns_rules_key on dns_rules (domain, below_only, coalesce(peer_id, ''))`.execute(db)
}
