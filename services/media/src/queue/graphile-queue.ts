import type { Log } from '@hearth/runtime'
import { Logger, run, runMigrations, type Runner } from 'graphile-worker'
import { sql, type Kysely } from 'kysely'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Tables } from '../database/tables.ts'
import type { Queue, QueueWork, Ticket } from './queue.ts'

const task = 'media_job'
const Payload = z.object({ id: z.string(), attempt: z.int() })

/** What the queue of several processes needs. */
export interface GraphileQueueParts {
  readonly pool: Pool
  readonly log: Log
}

/** The queue of several processes: graphile-worker on PostgreSQL tells a worker within milliseconds. */
export async function openGraphileQueue({ pool, log }: GraphileQueueParts): Promise<Queue> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ queue: message }, 'the queue says')
    else log.debug({ queue: message }, 'the queue says')
  })
  await runMigrations({ pgPool: pool, logger })
  let runner: Runner | undefined
  return {
    enqueue: (trx, ticket) => addToQueue(trx, ticket),
    wake: () => undefined,
    async start(work: QueueWork, concurrency: number) {
      runner = await run({
        pgPool: pool,
        logger,
        concurrency,
        noHandleSignals: true,
        pollInterval: 2000,
        taskList: {
          [task]: async (payload) => {
            const job = await work.begin(Payload.parse(payload))
            await job?.end
          },
        },
      })
      runner.promise.catch((error: unknown) => log.error({ err: error }, 'the queue ended'))
    },
    async close() {
      // Fetches no more messages at once, then waits until the workers have ended what they run.
      await runner?.stop().catch(() => undefined)
    },
  }
}

/** One message a handing out: a second one of the same is the same message. */
async function addToQueue(trx: Kysely<Tables>, { id, attempt }: Ticket): Promise<void> {
  await sql`select graphile_worker.add_job(${task}::text, ${JSON.stringify({ id, attempt })}::json, job_key := ${`${id}:${attempt}`}::text, max_attempts := 3)`.execute(
    trx,
  )
}
