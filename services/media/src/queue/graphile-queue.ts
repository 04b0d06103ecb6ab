import type { Log } from '@hearth/runtime'
import { Logger, run, runMigrations, type Runner } from 'graphile-worker'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Queue, QueueWork } from './queue.ts'
import { addMessage, findUndelivered, task } from './store.ts'

const Payload = z.object({ id: z.string(), attempt: z.int() })

/** The queue of several processes: graphile-worker on PostgreSQL notifies a worker within milliseconds. */
export async function openGraphileQueue({ pool, log }: { pool: Pool; log: Log }): Promise<Queue> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ queue: message }, 'the queue says')
    else log.debug({ queue: message }, 'the queue says')
  })
  await runMigrations({ pgPool: pool, logger })
  let runner: Runner | undefined
  return {
    enqueue: addMessage,
    wake: () => undefined,
    async remind(db, options) {
      for (const ticket of await findUndelivered(db, options)) await addMessage(db, ticket)
    },
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
      // Stops fetching messages at once, then waits for the running jobs.
      await runner?.stop().catch(() => undefined)
    },
  }
}
