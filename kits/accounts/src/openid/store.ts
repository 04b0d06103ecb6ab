import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import type { OpenIdIdentityRow, OpenIdTables } from './tables.ts'

const identitiesIn = (query: AnyQuery) => query as Kysely<OpenIdTables>

/** The id of the user that a person at a provider is. */
export async function findOpenIdUserId(
  query: AnyQuery,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | undefined> {
  const row = await identitiesIn(query)
    .selectFrom('openid_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

export async function insertOpenIdIdentity(query: AnyQuery, row: OpenIdIdentityRow): Promise<void> {
  await identitiesIn(query).insertInto('openid_identities').values(row).execute()
}

/** Ids of the users who sign in through a provider. */
export async function listOpenIdUserIds(query: AnyQuery): Promise<Set<string>> {
  const rows = await identitiesIn(query).selectFrom('openid_identities').select('user_id').execute()
  return new Set(rows.map(({ user_id: id }) => id))
}
