import type { Kysely } from 'kysely'
import type { OpenIdClientRow, OpenIdConsentRow, OpenIdKeyRow, OpenIdProviderTables } from './tables.ts'

/** A database with these tables, or a transaction of one. */
export type Query = Pick<Kysely<OpenIdProviderTables>, 'deleteFrom' | 'insertInto' | 'selectFrom' | 'updateTable'>

/** Returns the applications by name. */
export function listClientRows(db: Query): Promise<OpenIdClientRow[]> {
  return db.selectFrom('openid_clients').selectAll().orderBy('name').orderBy('id').execute()
}

/** Returns the ids of the applications. */
export async function listClientIds(db: Query): Promise<string[]> {
  return (await db.selectFrom('openid_clients').select('id').execute()).map(({ id }) => id)
}

/** Returns an application; undefined when there is none with this id. */
export function findClientRow(db: Query, id: string): Promise<OpenIdClientRow | undefined> {
  return db.selectFrom('openid_clients').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertClientRow(db: Query, row: OpenIdClientRow): Promise<void> {
  await db.insertInto('openid_clients').values(row).execute()
}

/** Changes an application; false when there is none with this id. */
export async function updateClientRow(
  db: Query,
  id: string,
  values: Partial<Omit<OpenIdClientRow, 'id'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('openid_clients').set(values).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes an application with its tokens and returns it; undefined when there is none with this id. */
export function deleteClientRow(db: Query, id: string): Promise<OpenIdClientRow | undefined> {
  return db.deleteFrom('openid_clients').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Returns the keys, oldest first. */
export function listKeyRows(db: Query): Promise<OpenIdKeyRow[]> {
  return db.selectFrom('openid_keys').selectAll().orderBy('created_at').orderBy('kid').execute()
}

export async function insertKeyRow(db: Query, row: OpenIdKeyRow): Promise<void> {
  await db.insertInto('openid_keys').values(row).execute()
}

/** Lets a published key sign, unless another process has; false then. */
export async function promoteKeyRow(db: Query, kid: string, now: number): Promise<boolean> {
  const promoting = db.updateTable('openid_keys').set({ signs_from: now }).where('kid', '=', kid)
  const { numUpdatedRows } = await promoting.where('signs_from', 'is', null).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the publication of every key that signed before, at this time. */
export async function retireKeyRows(db: Query, signing: string, until: number): Promise<void> {
  const retiring = db.updateTable('openid_keys').set({ published_until: until }).where('kid', '!=', signing)
  await retiring.where('signs_from', 'is not', null).where('published_until', 'is', null).execute()
}

/** Deletes the keys that are no longer published. */
export async function deleteKeyRowsUntil(db: Query, now: number): Promise<void> {
  await db.deleteFrom('openid_keys').where('published_until', '<=', now).execute()
}

/** Returns the consent of a user to an application; undefined without one. */
export function findConsentRow(db: Query, userId: string, clientId: string): Promise<OpenIdConsentRow | undefined> {
  const consents = db.selectFrom('openid_consents').selectAll().where('user_id', '=', userId)
  return consents.where('client_id', '=', clientId).executeTakeFirst()
}

/** Stores a consent in place of an earlier one. */
export async function storeConsentRow(db: Query, row: OpenIdConsentRow): Promise<void> {
  const { scopes, given_at } = row
  await db
    .insertInto('openid_consents')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doUpdateSet({ scopes, given_at }))
    .execute()
}

/** Deletes the consents to an application. */
export async function deleteConsentRows(db: Query, clientId: string): Promise<void> {
  await db.deleteFrom('openid_consents').where('client_id', '=', clientId).execute()
}
