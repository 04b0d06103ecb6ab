import { sql, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely'
import { remakeableKinds } from '../artifacts/artifact-kind.ts'
import { activeStatuses, completedStatuses } from '../jobs/job-machine.ts'
import type { StorageRule } from '../settings/schema.ts'
import { sumReservedByExports, waiting } from '../exports/store.ts'
import { hasLiveLink } from '../shares/store.ts'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { EvictionRow } from './tables.ts'
import type { JobRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Part of a list that is read: so many rows that come after one. */
export interface Slice<Row> {
  readonly now: number
  readonly after: Row | undefined
  readonly limit: number
}

/** Time for which a new copy stays: somebody is about to fetch it. Milliseconds. */
const youngCopy = 600_000

/** Jobs whose files nobody works on or wants kept: finished, not pinned, without work under way. */
export const isAtRest = (now: number) => (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.and([
    row('jobs.status', 'in', completedStatuses),
    row('jobs.artifact', 'is not', null),
    row('jobs.pinned', '=', 0),
    row('jobs.analysis_wanted_at', 'is', null),
    row.not(
      row.exists(
        row
          .selectFrom('stem_splits')
          .select('stem_splits.job_id')
          .whereRef('stem_splits.job_id', '=', 'jobs.id')
          .where('stem_splits.lease_until', '>', now),
      ),
    ),
    row.not(
      row.exists(
        row
          .selectFrom('exports')
          .select('exports.job_id')
          .whereRef('exports.job_id', '=', 'jobs.id')
          .where('exports.status', 'in', waiting),
      ),
    ),
  ])

/** Jobs whose files may go to make room: at rest, and without a link that works. */
const mayGo = (now: number) => (row: ExpressionBuilder<Tables, 'jobs'>) =>
  row.and([isAtRest(now)(row), row.not(hasLiveLink(now))])

/** Removes the file, links, stems, exports and the workbench from a job's rows. In a transaction that locks the job. */
export async function forgetFiles(trx: Db, id: string, message: string): Promise<JobRow | undefined> {
  // A link to further files goes on with those.
  const withOthers = trx.selectFrom('share_files').select('token_hash')
  await trx.deleteFrom('share_links').where('job_id', '=', id).where('token_hash', 'not in', withOthers).execute()
  await trx.deleteFrom('stem_splits').where('job_id', '=', id).execute()
  await trx.deleteFrom('exports').where('job_id', '=', id).execute()
  await trx.deleteFrom('workbench_sessions').where('job_id', '=', id).execute()
  return trx
    .updateTable('jobs')
    .set({ artifact: null, message, analysis_wanted_at: null, analysis_lease_until: null })
    .where('id', '=', id)
    .where('status', 'in', completedStatuses)
    .returningAll()
    .executeTakeFirst()
}

/** Of some jobs, the ids of those whose files may go. */
export async function whichMayGo(db: Db, ids: readonly string[], now: number): Promise<Set<string>> {
  const found = new Set<string>()
  for (let at = 0; at < ids.length; at += 500) {
    const part = ids.slice(at, at + 500)
    const rows = await db.selectFrom('jobs').select('id').where('id', 'in', part).where(mayGo(now)).execute()
    for (const { id } of rows) found.add(id)
  }
  return found
}

/** A file that can be made again. */
export type Copy = ArtifactRow & Pick<JobRow, 'last_used_at'> & { readonly title: string }

/** Files that can be made again, are there and may go, those of the longest unused jobs first. */
export async function listCopies(db: Db, { now, after, limit }: Slice<Copy>): Promise<Copy[]> {
  return db
    .selectFrom('artifacts')
    .innerJoin('jobs', 'jobs.id', 'artifacts.job_id')
    .selectAll('artifacts')
    .select(['jobs.last_used_at', titleOf])
    .where('artifacts.kind', 'in', remakeableKinds)
    .where('artifacts.is_stored', '=', 1)
    .where('artifacts.bytes', '>', 0)
    .where('artifacts.put_at', '<', now - youngCopy)
    .where(mayGo(now))
    .$if(after !== undefined, (query) => query.where(copiesAfter(after as Copy)))
    .orderBy('jobs.last_used_at', (by) => by.asc().nullsFirst())
    .orderBy('artifacts.job_id')
    .orderBy('artifacts.name')
    .limit(limit)
    .execute()
}

/** In a form that leaves it to the kinds of the files where the database begins: there are far fewer copies than jobs. */
const copiesAfter = ({ last_used_at: used, job_id, name }: Copy) =>
  sql<SqlBool>`(coalesce(jobs.last_used_at, -1), artifacts.job_id, artifacts.name) > (${used ?? -1}, ${job_id}, ${name})`

const titleOf = sql<string>`coalesce(jobs.video_title, jobs.url)`.as('title')

/** A job whose files may go. */
export interface Candidate extends Pick<JobRow, 'id' | 'last_used_at'> {
  readonly title: string
  /** Place of its own file, and number of jobs that have it. */
  readonly folder_id: string
  readonly name: string
  readonly holders: number
  readonly bytes: number
  /** Bytes of everything else that it alone has and that cannot be made again. */
  readonly other_bytes: number
}

/** What decides the place of a job in the order of any rule. */
export type Placed = Pick<JobRow, 'id' | 'last_used_at' | 'finished_at' | 'filesize_bytes'>

/** Jobs whose files may go, in the order of a rule. */
async function placedJobs(db: Db, rule: StorageRule, { now, after, limit }: Slice<Placed>): Promise<Placed[]> {
  const query = db
    .selectFrom('jobs')
    .select(['jobs.id', 'jobs.last_used_at', 'jobs.finished_at', 'jobs.filesize_bytes'])
    .where(mayGo(now))
    .$if(after !== undefined, (rest) => rest.where(jobsAfter(rule, after as Placed)))
    .limit(limit)
  const ordered =
    rule === 'largest'
      ? query.orderBy('jobs.filesize_bytes', (by) => by.desc().nullsLast()).orderBy('jobs.id', 'desc')
      : rule === 'oldest'
        ? query.orderBy('jobs.finished_at').orderBy('jobs.id')
        : query
            .orderBy('jobs.last_used_at', (by) => by.asc().nullsFirst())
            .orderBy('jobs.finished_at')
            .orderBy('jobs.id')
  return ordered.execute()
}

/** True of what comes after a job in the order of a rule. Every job that may go has the time at which it was finished. */
function jobsAfter(rule: StorageRule, { id, last_used_at: used, finished_at: finished, filesize_bytes: size }: Placed) {
  const finishedAfter = sql<SqlBool>`(jobs.finished_at, jobs.id) > (${finished ?? 0}, ${id})`
  if (rule === 'oldest') return finishedAfter
  if (rule === 'largest')
    return size === null
      ? sql<SqlBool>`(jobs.filesize_bytes is null and jobs.id < ${id})`
      : sql<SqlBool>`(jobs.filesize_bytes is null or (jobs.filesize_bytes, jobs.id) < (${size}, ${id}))`
  return used === null
    ? sql<SqlBool>`(jobs.last_used_at is not null or ${finishedAfter})`
    : sql<SqlBool>`(jobs.last_used_at, jobs.finished_at, jobs.id) > (${used}, ${finished ?? 0}, ${id})`
}

/** Jobs whose files may go, in the order of a rule; those whose file has no row yet, or is missing, are left out. `next` is for the next part. */
export async function listCandidates(
  db: Db,
  rule: StorageRule,
  part: Slice<Placed>,
): Promise<{ found: Candidate[]; next: Placed | undefined }> {
  const placed = await placedJobs(db, rule, part)
  const ids = placed.map(({ id }) => id)
  if (ids.length === 0) return { found: [], next: undefined }
  const others = sql<number>`coalesce((
    select cast(sum(o.bytes) as bigint) from artifacts o
    where o.job_id = jobs.id and o.name <> artifacts.name and o.kind not in (${sql.join([...remakeableKinds])})
      and not exists (
        select 1 from artifacts p where p.folder_id = o.folder_id and p.name = o.name and p.job_id <> o.job_id)), 0)`
  const holders = sql<number>`(
    select count(*) from artifacts h where h.folder_id = artifacts.folder_id and h.name = artifacts.name)`
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('artifacts', (join) =>
      join.onRef('artifacts.job_id', '=', 'jobs.id').onRef('artifacts.name', '=', 'jobs.artifact'),
    )
    .select(['jobs.id', 'jobs.last_used_at', 'artifacts.folder_id', 'artifacts.name', 'artifacts.bytes', titleOf])
    .select([others.as('other_bytes'), holders.as('holders')])
    .where('jobs.id', 'in', ids)
    .where('artifacts.is_stored', '=', 1)
    // What is missing frees nothing, and may come back.
    .where('artifacts.bytes', '>', 0)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const next = ids.length === part.limit ? placed.at(-1) : undefined
  return { found: ids.flatMap((id) => byId.get(id) ?? []), next }
}

const sumOf = (column: string) => sql<number>`coalesce(cast(sum(${sql.ref(column)}) as bigint), 0)`

/** Bytes that all plans together could free: what `listCopies` and `listCandidates` would give to the end. */
export async function sumFreeable(db: Db, now: number): Promise<number> {
  const remakeable = sql`(${sql.join([...remakeableKinds])})`
  const leaving = db.selectFrom('jobs').select(['jobs.id', 'jobs.artifact']).where(mayGo(now)).as('leaving')
  const isMain = sql<boolean>`artifacts.name = leaving.artifact`
  const isCopy = sql<boolean>`artifacts.kind in ${remakeable} and artifacts.put_at < ${now - youngCopy}`
  // Of those that have the same file the last one frees it, if all of them may go.
  const isLastOfAll = sql<boolean>`not exists (
    select 1 from artifacts p where p.folder_id = artifacts.folder_id and p.name = artifacts.name
      and (p.job_id > artifacts.job_id or p.job_id not in (${db.selectFrom('jobs').select('jobs.id').where(mayGo(now))})))`
  const isAlone = sql<boolean>`artifacts.kind not in ${remakeable} and not exists (
    select 1 from artifacts p where p.folder_id = artifacts.folder_id and p.name = artifacts.name
      and p.job_id <> artifacts.job_id)
    and exists (
      select 1 from artifacts m where m.job_id = leaving.id and m.name = leaving.artifact and m.is_stored = 1
        and m.bytes > 0)`
  const { bytes } = await db
    .selectFrom('artifacts')
    .innerJoin(leaving, 'leaving.id', 'artifacts.job_id')
    .select(sumOf('artifacts.bytes').as('bytes'))
    .where('artifacts.is_stored', '=', 1)
    .where(sql<boolean>`(${isCopy} or (${isMain} and ${isLastOfAll}) or (not ${isMain} and ${isAlone}))`)
    .executeTakeFirstOrThrow()
  return bytes
}

/** Bytes of all stored files. */
export async function sumTotals(db: Db): Promise<number> {
  const { bytes } = await db.selectFrom('storage_totals').select(sumOf('bytes').as('bytes')).executeTakeFirstOrThrow()
  return bytes
}

/** Bytes that running jobs and exports will store; the one with an id is left out. */
export async function sumReserved(db: Db, { now, besides = '' }: { now: number; besides?: string }): Promise<number> {
  const { bytes } = await db
    .selectFrom('jobs')
    .select(sumOf('reserved_bytes').as('bytes'))
    .where('status', 'in', activeStatuses)
    .where('id', '<>', besides)
    .executeTakeFirstOrThrow()
  return bytes + (await sumReservedByExports(db, { now, besides }))
}

/** Pinned jobs with files: their number, and the bytes of their files. */
export async function sumPinned(db: Db): Promise<{ bytes: number; downloads: number }> {
  // A value instead of a parameter, for the index of these rows.
  const pinned = db.selectFrom('jobs').select('id').where('pinned', '=', sql.lit(1))
  return db
    .selectFrom('artifacts')
    .select([sumOf('bytes').as('bytes'), sql<number>`count(distinct job_id)`.as('downloads')])
    .where('job_id', 'in', pinned)
    .executeTakeFirstOrThrow()
}

/** Notes what a running job will store; false when another attempt has it. */
export async function reserveBytes(
  trx: Db,
  { id, attempt }: Pick<JobRow, 'id' | 'attempt'>,
  bytes: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('jobs')
    .set({ reserved_bytes: bytes })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', 'in', activeStatuses)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Adds to the log of what went. */
export async function insertEvictions(trx: Db, rows: readonly EvictionRow[]): Promise<void> {
  // A statement takes a limited number of values.
  for (let at = 0; at < rows.length; at += 500)
    await trx
      .insertInto('evictions')
      .values(rows.slice(at, at + 500))
      .execute()
}

/** What went, newest first. */
export async function listEvictions(db: Db, limit: number): Promise<EvictionRow[]> {
  return db.selectFrom('evictions').selectAll().orderBy('evicted_at', 'desc').orderBy('id').limit(limit).execute()
}

/** Deletes old entries of the log. */
export async function deleteEvictions(db: Db, before: number): Promise<void> {
  await db.deleteFrom('evictions').where('evicted_at', '<', before).execute()
}
