import { sql, type Kysely } from 'kysely'
import { isHeldBack } from '../pauses/store.ts'
import type { Tables } from '../tables.ts'
import type { Ticket } from './queue.ts'

/** The kind of message that graphile-worker keeps for this service. */
export const task = 'media_job'

/** Adds the message of one handing out within a transaction; a second one of the same is the same message. */
export async function addMessage(trx: Kysely<Tables>, { id, attempt }: Ticket): Promise<void> {
  const payload = JSON.stringify({ id, attempt })
  const key = `${id}:${attempt}`
  await sql`select graphile_worker.add_job(${task}::text, ${payload}::json, job_key := ${key}::text, max_attempts := 3)`.execute(
    trx,
  )
}

/**
 * Finds queued jobs whose message no worker will take, oldest first; one that is taken counts for `patience` milliseconds. Jobs that
 * their platform holds back at the time `now` are not among them.
 */
export async function findUndelivered(
  db: Kysely<Tables>,
  { patience, now }: { readonly patience: number; readonly now: number },
): Promise<readonly Ticket[]> {
  const { rows } = await sql<Ticket>`
    select id, attempt from jobs where status = 'queued' and not ${isHeldBack(now)} and not exists (
      select from graphile_worker.jobs as message
      where message.key = jobs.id || ':' || jobs.attempt
        and case when message.locked_at is null then message.attempts < message.max_attempts
          else message.locked_at > now() - ${patience}::float8 * interval '1 millisecond' end)
    order by queued_at, id`.execute(db)
  return rows
}
