import type { Log, Timers } from '@hearth/runtime'
import { linkPaths, type QueryBatch, QueryBatchAnswer } from '../../nodes/link-schema.ts'
import { type ControlLink, ControlRefused } from '../control-link.ts'
import { repeatRequest } from '../repeat-request.ts'
import type { OutgoingBatch, QueryJournal } from './query-journal.ts'

/** Time for an answer, milliseconds: batches of other nodes come first. */
const answerMs = 60_000
/** Pause between two batches when many wait, milliseconds. */
const nextMs = 500
/** Answers to a batch that will not be taken another time either. */
const finalAnswers: ReadonlySet<number> = new Set([400, 413, 422])

export interface QueryLoopDependencies {
  readonly link: Pick<ControlLink, 'send'>
  readonly journal: Pick<QueryJournal, 'oldest' | 'confirm' | 'giveUp' | 'limit'>
  readonly timers: Pick<Timers, 'delay' | 'monotonic' | 'now'>
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** Sends the queries that this node answered to the service, in their order, one batch at a time. */
export function sendQueries(dependencies: QueryLoopDependencies, signal: AbortSignal): Promise<void> {
  const { journal, timers, log } = dependencies
  const ask = async () => {
    await journal.limit(timers.now())
    const batch = await journal.oldest()
    if (batch === undefined) return false
    await sendBatch(dependencies, batch, signal)
    await timers.delay(nextMs, signal)
    return true
  }
  return repeatRequest({ timers, log, what: 'does not take the queries of this node', ask }, signal)
}

async function sendBatch(
  { link, journal, timers, log }: QueryLoopDependencies,
  { count, number, entries }: OutgoingBatch,
  signal: AbortSignal,
): Promise<void> {
  const now = timers.now()
  // The clock may have been set back since.
  const past = entries.map(([at, ...rest]): QueryBatch['entries'][number] => [Math.min(at, now), ...rest])
  const body: QueryBatch = { count, number, sent_at: now, entries: past }
  try {
    const options = { answer: QueryBatchAnswer, signal, timeoutMs: answerMs }
    const { counted } = await link.send(linkPaths.queries, body, options)
    await journal.confirm(number, counted)
  } catch (error) {
    if (!(error instanceof ControlRefused && finalAnswers.has(error.status))) throw error
    log.error(`the service refuses queries of this node: ${error.message}; lost: ${entries.length}`)
    await journal.giveUp(number, now)
  }
}
