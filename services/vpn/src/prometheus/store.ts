import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Counts the custom rules that are in use, by action. Actions without a rule are left out. */
export async function countRulesByAction(db: Kysely<Tables>): Promise<{ action: 'block' | 'allow'; count: number }[]> {
  return db
    .selectFrom('dns_rules')
    .select((row) => ['action', row.fn.countAll<number>().as('count')])
    .where('enabled', '=', 1)
    .groupBy('action')
    .execute()
}
