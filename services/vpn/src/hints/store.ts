import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { HintExceptionRow, HintRow } from './tables.ts'

type Db = Kysely<Tables>
type Kind = HintRow['kind']

/** Hints of a list. */
export interface HintFilter {
  readonly status: 'open' | 'answered' | 'all'
  readonly kind?: Kind | undefined
  readonly subject?: string | undefined
}

/** Place after a hint in the order of the list. */
export interface HintPosition {
  readonly lastAt: number
  readonly id: string
}

/** Reads hints, newest first, from a place on. */
export function listHintRows(
  db: Db,
  { status, kind, subject }: HintFilter,
  { limit, after }: { limit: number; after: HintPosition | undefined },
): Promise<HintRow[]> {
  let rows = db.selectFrom('hints').selectAll()
  if (status !== 'all') rows = rows.where('status', status === 'open' ? '=' : '!=', 'open')
  if (kind !== undefined) rows = rows.where('kind', '=', kind)
  if (subject !== undefined) rows = rows.where('subject', '=', subject)
  if (after !== undefined) {
    rows = rows.where((where) =>
      where.or([
        where('last_at', '<', after.lastAt),
        where.and([where('last_at', '=', after.lastAt), where('id', '<', after.id)]),
      ]),
    )
  }
  return rows.orderBy('last_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export function findHintRow(db: Db, id: string): Promise<HintRow | undefined> {
  return db.selectFrom('hints').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The newest hint of a kind about the same. */
export function findSameHint(
  db: Db,
  { kind, subject, topic }: Pick<HintRow, 'kind' | 'subject' | 'topic'>,
): Promise<HintRow | undefined> {
  return db
    .selectFrom('hints')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('topic', '=', topic)
    .orderBy('last_at', 'desc')
    .executeTakeFirst()
}

export async function insertHintRow(db: Db, row: HintRow): Promise<void> {
  await db.insertInto('hints').values(row).execute()
}

export async function updateHintRow(db: Db, id: string, values: Partial<HintRow>): Promise<void> {
  await db.updateTable('hints').set(values).where('id', '=', id).execute()
}

export async function countOpenHints(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('hints')
    .select((row) => row.fn.countAll().as('count'))
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes the oldest open hints beyond a number. */
export async function deleteOpenHintsBeyond(db: Db, max: number): Promise<void> {
  const beyond = await db
    .selectFrom('hints')
    .select('id')
    .where('status', '=', 'open')
    .orderBy('last_at', 'desc')
    .offset(max)
    .limit(max)
    .execute()
  const ids = beyond.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('hints').where('id', 'in', ids).execute()
}

/** Deletes hints that were found last before a time. */
export async function deleteHintsBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('hints').where('last_at', '<', before).execute()
}

/** Deletes hints of a kind that began before a time, about one subject or all (null). */
export async function deleteHintsOfKind(
  db: Db,
  kind: Kind,
  { before, subject }: { before: number; subject: string | null },
): Promise<void> {
  const rows = db.deleteFrom('hints').where('kind', '=', kind).where('first_at', '<', before)
  await (subject === null ? rows : rows.where('subject', '=', subject)).execute()
}

export function allExceptionRows(db: Db): Promise<HintExceptionRow[]> {
  return db.selectFrom('hint_exceptions').selectAll().orderBy('created_at', 'desc').orderBy('id').execute()
}

export async function insertExceptionRow(db: Db, row: HintExceptionRow): Promise<void> {
  await db
    .insertInto('hint_exceptions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'subject', 'topic']).doNothing())
    .execute()
}

export async function deleteExceptionRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('hint_exceptions').where('id', '=', id).execute()
}

/** What a detector knows of its subjects, as JSON. */
export async function readStates(db: Db, kind: Kind): Promise<{ subject: string; state: string }[]> {
  return db.selectFrom('hint_states').select(['subject', 'state']).where('kind', '=', kind).execute()
}

export async function writeStates(db: Db, kind: Kind, states: ReadonlyMap<string, string>): Promise<void> {
  const rows = Array.from(states, ([subject, state]) => ({ kind, subject, state }))
  for (let start = 0; start < rows.length; start += 500) {
    await db
      .insertInto('hint_states')
      .values(rows.slice(start, start + 500))
      .onConflict((conflict) =>
        conflict.columns(['kind', 'subject']).doUpdateSet((row) => ({ state: row.ref('excluded.state') })),
      )
      .execute()
  }
}

/** Deletes what was learned for a kind of hints. */
export async function deleteStates(db: Db, kind: Kind): Promise<void> {
  await db.deleteFrom('hint_states').where('kind', '=', kind).execute()
}

/** Deletes what is known of peers and lists that are gone, and their exceptions. */
export async function deleteOrphans(db: Db): Promise<void> {
  for (const table of ['hint_states', 'hint_exceptions'] as const) {
    await sql`
      delete from ${sql.table(table)} where subject <> ''
        and not exists (select 1 from peers where peers.id = ${sql.ref(`${table}.subject`)})
        and not exists (select 1 from lists where lists.id = ${sql.ref(`${table}.subject`)})`.execute(db)
  }
}

/** Peers by the number that stands for them in the query log. */
export function peersByNumber(db: Db, numbers: readonly number[]) {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'dns_number as number'])
    .where('dns_number', 'in', numbers)
    .execute()
}

/** Block lists by the number that stands for them in the query log. */
export function listsByNumber(db: Db, numbers: readonly number[]) {
  return db
    .selectFrom('lists')
    .select(['id', 'name', 'number', 'last_updated', 'entries'])
    .where('number', 'in', numbers)
    .execute()
}

/** The peers and lists of these that are there. */
export async function existingSubjects(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const peers = await db.selectFrom('peers').select('id').where('id', 'in', ids).execute()
  const lists = await db.selectFrom('lists').select('id').where('id', 'in', ids).execute()
  return new Set([...peers, ...lists].map(({ id }) => id))
}
