import { likePattern, type Page } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsRuleRow } from '../tables.ts'
import type { DnsRuleListQuery } from './schema.ts'

type Db = Kysely<Tables>

/** Key of a rule: two rules with the same key differ only in their action. */
export type RuleKey = Pick<DnsRuleRow, 'domain' | 'below_only' | 'peer_id'>

/** Newest first. `peerId` narrows to the rules of one peer. */
export async function listRuleRows(
  db: Db,
  query: DnsRuleListQuery,
  peerId: string | undefined,
): Promise<Page<DnsRuleRow>> {
  const search = query.search?.trim().toLowerCase() ?? ''
  const found = db
    .selectFrom('dns_rules')
    .$if(search !== '', (rules) => rules.where(sql<SqlBool>`domain like ${`%${likePattern(search)}%`} escape '\\'`))
    .$if(query.action !== undefined, (rules) => rules.where('action', '=', query.action ?? 'block'))
    .$if(peerId !== undefined, (rules) => rules.where('peer_id', '=', peerId ?? ''))
  const rows = await found
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const { count } = await found.select((rule) => rule.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return { rows, total: count }
}

export function findRuleRow(db: Db, id: string): Promise<DnsRuleRow | undefined> {
  return db.selectFrom('dns_rules').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The rule for the same names and the same client, whatever it does. */
export function findRuleWithKey(db: Db, key: RuleKey): Promise<DnsRuleRow | undefined> {
  return db
    .selectFrom('dns_rules')
    .selectAll()
    .where('domain', '=', key.domain)
    .where('below_only', '=', key.below_only)
    .where('peer_id', key.peer_id === null ? 'is' : '=', key.peer_id)
    .executeTakeFirst()
}

export async function countRules(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('dns_rules')
    .select((rule) => rule.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertRuleRow(db: Db, row: DnsRuleRow): Promise<void> {
  await db.insertInto('dns_rules').values(row).execute()
}

export async function updateRuleRow(db: Db, id: string, changes: Partial<Omit<DnsRuleRow, 'id'>>): Promise<void> {
  await db.updateTable('dns_rules').set(changes).where('id', '=', id).execute()
}

export async function deleteRuleRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('dns_rules').where('id', '=', id).execute()
}

/** A peer by its name (as names are compared), id or address. */
export function findPeerBy(
  db: Db,
  wanted: { nameKey: string; text: string },
): Promise<{ id: string; name: string; dns_number: number; ip: string; ipv6: string | null } | undefined> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'dns_number', 'ip', 'ipv6'])
    .where((where) =>
      where.or([
        where('name_key', '=', wanted.nameKey),
        where('id', '=', wanted.text.toLowerCase()),
        where('ip', '=', wanted.text),
        where('ipv6', '=', wanted.text.toLowerCase()),
      ]),
    )
    .orderBy('created_at')
    .executeTakeFirst()
}

/** Reads the names of peers by their ids. */
export async function peerNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  return db.selectFrom('peers').select(['id', 'name']).where('id', 'in', ids).execute()
}
