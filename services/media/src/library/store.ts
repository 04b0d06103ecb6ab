import type { Database } from '@hearth/database'
import { sql, type Expression, type Kysely, type RawBuilder, type SqlBool } from 'kysely'
import { searchWords, tagWord } from '../jobs/search-words.ts'
import type { JobRow, Tables } from '../tables.ts'
import { countedItems, type LibraryQuery, type LibrarySort, type TagCounts } from './schema.ts'

/** A search with its words taken apart. */
export interface Search extends Omit<LibraryQuery, 'q'> {
  readonly words: readonly string[]
}

/** Finds the jobs of a page of items, and counts the items up to a limit. */
export async function searchItems(
  { kind, query }: Database<Tables>,
  search: Search,
): Promise<{ jobs: JobRow[]; total: number; isTotalExact: boolean }> {
  const { from, where, number } = planOf(kind, search)
  const found = sql`${from} where ${sql.join(where, sql` and `)}`
  const page = sql<{ number: number }>`
    select ${number} as number ${found} order by ${orderOf(search, number)} limit ${search.limit} offset ${search.offset}`
  const counted = countOf(kind, search, found)
  const [numbers, counts] = await Promise.all([page.execute(query), counted.execute(query)])
  const count = counts.rows[0]?.count ?? 0
  const jobs = await jobsOf(
    query,
    numbers.rows.map((row) => row.number),
  )
  return { jobs, total: Math.min(count, countedItems), isTotalExact: count <= countedItems }
}

/**
 * Counts what is found, up to a limit. With words PostgreSQL would read every row for it, because it expects to have enough soon:
 * what stands apart is planned as a whole, by the index of the words where they are rare, and read no further than needed.
 */
function countOf(kind: Database<Tables>['kind'], { words, tags = [] }: Search, found: RawBuilder<unknown>) {
  const most = countedItems + 1
  if (kind === 'sqlite' || words.length + tags.length === 0)
    return sql<{ count: number }>`select count(*) as count from (select 1 as one ${found} limit ${most}) as found`
  return sql<{ count: number }>`
    with found as materialized (select 1 as one ${found})
    select count(*) as count from (select one from found limit ${most}) as first`
}

/** Returns the jobs with these numbers, in their order. */
async function jobsOf(db: Kysely<Tables>, numbers: readonly number[]): Promise<JobRow[]> {
  if (numbers.length === 0) return []
  const rows = await db
    .selectFrom('library_items')
    .innerJoin('jobs', 'jobs.id', 'library_items.job_id')
    .selectAll('jobs')
    .select('library_items.number')
    .where('library_items.number', 'in', [...numbers])
    .execute()
  const jobs = new Map(rows.map((row) => [row.number, row]))
  return numbers.flatMap((number) => jobs.get(number) ?? [])
}

interface Plan {
  readonly from: RawBuilder<unknown>
  readonly where: Expression<SqlBool>[]
  /** The number of an item, in the table that is walked. */
  readonly number: RawBuilder<unknown>
}

/**
 * What a search reads. SQLite walks the table named first, the words or all items, each in the order of the numbers, so that a
 * page of the newest among many finds is short work. PostgreSQL chooses for itself.
 */
function planOf(kind: Database<Tables>['kind'], search: Search): Plan {
  const { words, tags = [], collection } = search
  const where = conditionsOf(search)
  const inCollection =
    collection === undefined
      ? sql``
      : sql`join collection_jobs c on c.job_id = i.job_id and c.collection_id = ${collection}`
  const all = { from: sql`from library_items i ${inCollection}`, where, number: sql`i.number` }
  if (words.length === 0 && tags.length === 0) return all
  if (kind === 'postgres') {
    const terms = [...words.map((word) => `'${word}':*`), ...tags.map((tag) => `'${tagWord(tag)}'`)]
    where.push(sql<SqlBool>`i.words @@ ${terms.join(' & ')}::tsquery`)
    return all
  }
  const terms = [...words.map((word) => `"${word}"*`), ...tags.map((tag) => `"${tagWord(tag)}"`)]
  where.push(sql<SqlBool>`library_words match ${terms.join(' ')}`)
  return {
    from: sql`from library_words cross join library_items i on i.number = library_words.rowid ${inCollection}`,
    where,
    number: sql`library_words.rowid`,
  }
}

function conditionsOf(search: Search): Expression<SqlBool>[] {
  const { type, platform, keys = [] } = search
  const conditions: Expression<SqlBool>[] = [sql<SqlBool>`1 = 1`]
  const add = (value: unknown, condition: RawBuilder<SqlBool>) => value !== undefined && conditions.push(condition)
  add(type, sql`i.type = ${type}`)
  add(platform, sql`i.platform = ${platform}`)
  add(search.bpm_from, sql`i.bpm >= ${search.bpm_from}`)
  add(search.bpm_to, sql`i.bpm <= ${search.bpm_to}`)
  add(search.length_from, sql`i.duration_ms >= ${(search.length_from ?? 0) * 1000}`)
  add(search.length_to, sql`i.duration_ms < ${((search.length_to ?? 0) + 1) * 1000}`)
  if (keys.length > 0) conditions.push(sql<SqlBool>`i.musical_key in (${sql.join(keys)})`)
  return conditions
}

const sortColumns = {
  title: sql`i.title`,
  duration: sql`i.duration_ms`,
  bpm: sql`i.bpm`,
  key: sql`i.musical_key`,
} satisfies Record<Exclude<LibrarySort, 'added'>, unknown>

function orderOf({ sort, order, collection }: Search, number: RawBuilder<unknown>): RawBuilder<unknown> {
  const direction = order === 'desc' ? sql`desc` : sql`asc`
  if (sort === undefined && collection !== undefined) return sql`c.position ${direction}`
  if (sort === undefined || sort === 'added') return order === 'asc' ? number : sql`${number} desc`
  return sql`${sortColumns[sort]} ${direction} nulls last, ${number} ${direction}`
}

/** The tags of the library with the number of their items, the most used first. */
export async function countTags(db: Kysely<Tables>): Promise<TagCounts> {
  return db
    .selectFrom('library_tags')
    .select(['tag', (row) => row.fn.countAll<number>().as('count')])
    .groupBy('tag')
    .orderBy('count', 'desc')
    .orderBy('tag')
    .limit(500)
    .execute()
}

const rowsAtOnce = 1000

/**
 * Gives the jobs of a version or a backup from before the library the words they are found by. Others have theirs, so that an
 * index of those without is all there is to read. Used by a migration: it touches no column that came later.
 */
export async function fillSearchWords(db: Kysely<Tables>): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows = await db
      .selectFrom('jobs')
      .select(['id', 'video_title', 'track_title', 'artist', 'album', 'channel'])
      // A value instead of a parameter: SQLite takes the index of these rows for nothing else.
      .where('search_words', '=', sql.lit(''))
      .where((row) => row.fn.coalesce('video_title', 'track_title', 'artist', 'album', 'channel'), 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    for (const { id, ...texts } of rows) {
      const search_words = searchWords(Object.values(texts).join(' ')).join(' ')
      if (search_words !== '') await db.updateTable('jobs').set({ search_words }).where('id', '=', id).execute()
    }
    after = rows.at(-1)?.id
  }
}

/** Stores the tags of a job, and the words they are found by. */
export async function setTags(
  db: Kysely<Tables>,
  id: string,
  { tags, words }: { tags: readonly string[]; words: readonly string[] },
): Promise<JobRow | undefined> {
  const values = { tags: tags.length === 0 ? null : JSON.stringify(tags), tag_words: words.join(' ') }
  return db.updateTable('jobs').set(values).where('id', '=', id).returningAll().executeTakeFirst()
}
