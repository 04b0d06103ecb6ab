import { acquireLock, type Database } from '@hearth/database'
import { sql, type Kysely, type SqlBool } from 'kysely'
import { activeStatuses } from '../jobs/job-machine.ts'
import type { JobRow, ShareLinkRow, Tables } from '../tables.ts'
import { useLength } from './fetch-store.ts'

type Db = Kysely<Tables>

/** A file of a link: its place on the page, and the job it belongs to. */
export interface LinkedFile<Job = JobRow> {
  readonly position: number
  readonly job: Job
}

/** A link with its files, in the order of its page. */
export interface LinkWithFiles<Job = JobRow> {
  readonly link: ShareLinkRow
  readonly files: readonly LinkedFile<Job>[]
}

/** The members of a job that a list of links shows. */
export type ListedJob = Pick<JobRow, 'id' | 'video_title' | 'type' | 'status' | 'artifact'>

/** Number of the lock under which links are made on PostgreSQL. */
const linkLock = 8_103_002

/** Has the transaction be the only one that makes links. */
export const lockLinks = ({ kind }: Pick<Database<Tables>, 'kind'>, trx: Db): Promise<void> =>
  acquireLock(kind, trx, linkLock)

/** Inserts a link, and the jobs of its files after the first. */
export async function insertLink(trx: Db, link: ShareLinkRow, furtherJobIds: readonly string[] = []): Promise<void> {
  await trx.insertInto('share_links').values(link).execute()
  const files = furtherJobIds.map((job_id, index) => ({ token_hash: link.token_hash, position: index + 2, job_id }))
  if (files.length > 0) await trx.insertInto('share_files').values(files).execute()
}

/** Every file of every link. */
const linkedFiles = (db: Db) =>
  db
    .selectFrom('share_links')
    .select((row) => ['token_hash', row.lit<number>(1).as('position'), 'job_id'])
    .unionAll(db.selectFrom('share_files').select(['token_hash', 'position', 'job_id']))

/** Hashes of the links with a file of a job. */
const withJob = (db: Db, jobId: string) =>
  db.selectFrom(linkedFiles(db).as('files')).select('files.token_hash').where('files.job_id', '=', jobId)

/** The links with a file of a job, newest first. */
export async function linksOf(db: Db, jobId: string): Promise<ShareLinkRow[]> {
  return db
    .selectFrom('share_links')
    .selectAll()
    .where('token_hash', 'in', withJob(db, jobId))
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
}

/** Links, newest first; with `jobId` those with a file of this job. */
export async function listLinks(
  db: Db,
  { jobId, limit, offset }: { readonly jobId?: string | undefined; readonly limit: number; readonly offset: number },
): Promise<LinkWithFiles<ListedJob>[]> {
  const all = db.selectFrom('share_links')
  const links = await (jobId === undefined ? all : all.where('token_hash', 'in', withJob(db, jobId)))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .limit(limit)
    .offset(offset)
    .execute()
  return withListedJobs(db, links)
}

/** A link as the list has it. */
export async function readLink(db: Db, tokenHash: string): Promise<LinkWithFiles<ListedJob> | undefined> {
  const links = await db.selectFrom('share_links').selectAll().where('token_hash', '=', tokenHash).execute()
  const [found] = await withListedJobs(db, links)
  return found
}

async function withListedJobs(db: Db, links: readonly ShareLinkRow[]): Promise<LinkWithFiles<ListedJob>[]> {
  if (links.length === 0) return []
  const hashes = links.map(({ token_hash }) => token_hash)
  const rows = await db
    .selectFrom(linkedFiles(db).as('files'))
    .innerJoin('jobs', 'jobs.id', 'files.job_id')
    .select(['files.token_hash', 'files.position', 'jobs.id', 'jobs.video_title', 'jobs.type'])
    .select(['jobs.status', 'jobs.artifact'])
    .where('files.token_hash', 'in', hashes)
    .orderBy('files.position')
    .execute()
  const files = new Map<string, LinkedFile<ListedJob>[]>()
  for (const { token_hash, position, ...job } of rows)
    files.set(token_hash, [...(files.get(token_hash) ?? []), { position, job }])
  return links.map((link) => ({
    link,
    files: files.get(link.token_hash) ?? [],
  }))
}

/** A link by the hash of its token, with all its files or with the one at a position. */
export async function findLink(db: Db, tokenHash: string, position?: number): Promise<LinkWithFiles | undefined> {
  const link = await db.selectFrom('share_links').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
  if (link === undefined) return undefined
  const rows = await db
    .selectFrom(linkedFiles(db).as('files'))
    .innerJoin('jobs', 'jobs.id', 'files.job_id')
    .selectAll('jobs')
    .select('files.position as file_position')
    .where('files.token_hash', '=', tokenHash)
    .$if(position !== undefined, (query) => query.where('files.position', '=', position ?? 0))
    .orderBy('files.position')
    .execute()
  return { link, files: rows.map(({ file_position, ...job }) => ({ position: file_position, job })) }
}

/** Condition: a link that works leads to the file of the row's job. For queries of `jobs`. */
export const hasLiveLink = (now: number) => sql<SqlBool>`exists (
  select 1 from share_links l
  where (l.job_id = jobs.id or l.token_hash in (select f.token_hash from share_files f where f.job_id = jobs.id))
    and (l.expires_at is null or l.expires_at > ${now})
    and (l.max_uses = 0 or l.uses < l.max_uses or l.last_fetched_at > ${now - useLength}))`

/** Returns true if every one of these jobs has a file. */
export async function allHaveFiles(trx: Db, jobIds: readonly string[]): Promise<boolean> {
  const rows = await trx
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', [...jobIds])
    .where('artifact', 'is not', null)
    .execute()
  return rows.length === jobIds.length
}

/** Members of a link that its owner changes. */
export type LinkValues = Partial<Pick<ShareLinkRow, 'name' | 'password_hash' | 'max_uses' | 'expires_at'>>

/** Changes a link, which is from then on no link by the settings alone. */
export async function updateLink(db: Db, tokenHash: string, values: LinkValues): Promise<void> {
  await db
    .updateTable('share_links')
    .set({ ...values, is_reusable: 0 })
    .where('token_hash', '=', tokenHash)
    .execute()
}

/** Returns false when there was none. */
export async function deleteLink(db: Db, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share_links').where('token_hash', '=', tokenHash).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes every link with a file of a job, and returns how many there were. */
export async function deleteLinksOf(db: Db, jobId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('share_links')
    .where('token_hash', 'in', withJob(db, jobId))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function countLinks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('share_links')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Takes jobs that are about to be deleted out of links: the next file takes the place of a link's first one, and a link without
 * another is deleted. Links come before jobs, as for a visitor's use, so that the two do not wait for each other.
 */
export async function takeOutJobs(trx: Db, jobIds: readonly string[]): Promise<void> {
  const links = await trx
    .selectFrom('share_links')
    .select('token_hash')
    .where('job_id', 'in', [...jobIds])
    .orderBy('token_hash')
    .execute()
  for (const { token_hash } of links) {
    const next = await trx
      .selectFrom('share_files')
      .select(['position', 'job_id'])
      .where('token_hash', '=', token_hash)
      .where('job_id', 'not in', [...jobIds])
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) await trx.deleteFrom('share_links').where('token_hash', '=', token_hash).execute()
    else {
      await trx.updateTable('share_links').set({ job_id: next.job_id }).where('token_hash', '=', token_hash).execute()
      await trx
        .deleteFrom('share_files')
        .where('token_hash', '=', token_hash)
        .where('position', '=', next.position)
        .execute()
    }
  }
}

/** Deletes links that ended, or were used up and last fetched by, before a timestamp; and those whose files are all gone. */
export async function deleteSpent(db: Db, before: number): Promise<void> {
  await db.deleteFrom('share_links').where('expires_at', '<=', before).execute()
  await db
    .deleteFrom('share_links')
    .where('max_uses', '>', 0)
    .whereRef('uses', '>=', 'max_uses')
    .where((row) => row.or([row('last_fetched_at', 'is', null), row('last_fetched_at', '<=', before)]))
    .execute()
  const withFile = db
    .selectFrom(linkedFiles(db).as('files'))
    .innerJoin('jobs', 'jobs.id', 'files.job_id')
    .select('files.token_hash')
    .where((row) =>
      row.or([row('jobs.artifact', 'is not', null), row('jobs.status', 'in', ['queued', ...activeStatuses])]),
    )
  await db.deleteFrom('share_links').where('token_hash', 'not in', withFile).execute()
}
