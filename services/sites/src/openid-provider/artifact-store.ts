import type { Kysely } from 'kysely'
import type { OpenIdArtifactRow, OpenIdProviderTables } from './tables.ts'

/** A database with the artifacts, or a transaction of one. */
type Query = Pick<Kysely<OpenIdProviderTables>, 'deleteFrom' | 'insertInto' | 'selectFrom' | 'updateTable'>

/** Names an artifact. */
export type ArtifactKey = Pick<OpenIdArtifactRow, 'model' | 'id_hash'>

/** Stores an artifact in place of the one with its key, which keeps its beginning and its browser. */
export async function storeArtifactRow(db: Query, row: OpenIdArtifactRow): Promise<void> {
  const { model: _model, id_hash: _id, created_at: _created, browser_hash: _browser, ...values } = row
  await db
    .insertInto('openid_artifacts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(values))
    .execute()
}

/** Stores in which browser an artifact began. */
export async function bindArtifactRow(db: Query, { model, id_hash }: ArtifactKey, browserHash: string): Promise<void> {
  const binding = db.updateTable('openid_artifacts').set({ browser_hash: browserHash }).where('model', '=', model)
  await binding.where('id_hash', '=', id_hash).execute()
}

/** Returns an artifact that has not expired; undefined when there is none. */
export function findArtifactRow(
  db: Query,
  { model, id_hash }: ArtifactKey,
  now: number,
): Promise<OpenIdArtifactRow | undefined> {
  const named = db.selectFrom('openid_artifacts').selectAll().where('model', '=', model).where('id_hash', '=', id_hash)
  return named.where('expires_at', '>', now).executeTakeFirst()
}

/** Marks an artifact as used; false when it was used before, or is gone. */
export async function consumeArtifactRow(db: Query, { model, id_hash }: ArtifactKey, now: number): Promise<boolean> {
  const named = db.updateTable('openid_artifacts').set({ consumed_at: now }).where('model', '=', model)
  const { numUpdatedRows } = await named
    .where('id_hash', '=', id_hash)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteArtifactRow(db: Query, { model, id_hash }: ArtifactKey): Promise<void> {
  await db.deleteFrom('openid_artifacts').where('model', '=', model).where('id_hash', '=', id_hash).execute()
}

/** Deletes what belongs to a grant, of one kind or of all. */
export async function deleteArtifactsOfGrant(db: Query, grantHash: string, model?: string): Promise<void> {
  const ofGrant = db.deleteFrom('openid_artifacts').where('grant_hash', '=', grantHash)
  await (model === undefined ? ofGrant : ofGrant.where('model', '=', model)).execute()
}

/** Deletes what belongs to a session of the portal. */
export async function deleteArtifactsOfSession(db: Query, sessionId: string): Promise<void> {
  await db.deleteFrom('openid_artifacts').where('session_id', '=', sessionId).execute()
}

export async function deleteExpiredArtifacts(db: Query, now: number): Promise<void> {
  await db.deleteFrom('openid_artifacts').where('expires_at', '<=', now).execute()
}

/** Keeps this many artifacts of a kind that belong to no session, the newest. */
export async function keepNewestArtifacts(db: Query, model: string, kept: number): Promise<void> {
  const newest = db.selectFrom('openid_artifacts').select('created_at').where('model', '=', model)
  const free = newest.where('session_id', 'is', null)
  const last = await free.orderBy('created_at', 'desc').offset(kept).limit(1).executeTakeFirst()
  if (last === undefined) return
  const old = db.deleteFrom('openid_artifacts').where('model', '=', model).where('session_id', 'is', null)
  await old.where('created_at', '<=', last.created_at).execute()
}
