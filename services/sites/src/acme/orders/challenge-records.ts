import { randomUUID } from 'node:crypto'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { ProviderFailed, type TxtRecord } from '../providers/provider.ts'
import type { Providers } from '../providers/providers.ts'
import * as store from '../store.ts'
import type { AcmeTables, ChallengeRecordRow, OrderRow } from '../tables.ts'
import { allEnded } from './all-ended.ts'
import { noteInHistory } from './change-order.ts'
import { pauseAfter } from './order-machine.ts'

interface ChallengeRecordsDependencies {
  readonly db: Kysely<AcmeTables>
  readonly timers: Timers
  readonly log: Log
  readonly providers: Pick<Providers, 'open'>
  /** True once the service ends: what fails then has not failed. */
  readonly isClosed: () => boolean
}

/** Removals at the same time. */
const together = 5
/** After so many failed removals, about a week, a record is left where it is. */
const maxRemovals = 174

/** The TXT records at the providers: noted before they are made, forgotten after they are removed. */
export type ChallengeRecords = ReturnType<typeof createChallengeRecords>

/** Creates the store of TXT records. */
export function createChallengeRecords({ db, timers, log, providers, isClosed }: ChallengeRecordsDependencies) {
  const leave = async ({ id, order_id, name, zone }: ChallengeRecordRow, problem: string): Promise<void> => {
    log.warn({ name, zone, problem }, 'a TXT record could not be removed for a week and is left')
    await store.deleteRecord(db, id)
    const text = `The TXT record ${name} in the zone ${zone} could not be removed for a week, and is left there`
    await noteInHistory({ db, timers }, order_id, `${text}: ${problem}`)
  }
  const remove = async (row: ChallengeRecordRow): Promise<void> => {
    try {
      if (!(await store.isNeededElsewhere(db, row))) await (await providers.open(row.provider_id))?.removeTxt(row)
      await store.deleteRecord(db, row.id)
    } catch (error) {
      if (isClosed()) return
      const isExpected = error instanceof ProviderFailed
      if (!isExpected) log.error({ err: error }, 'a TXT record could not be removed')
      const attempts = row.attempts + 1
      const problem = isExpected ? error.message : 'It could not be removed; the log of the service says more'
      if (attempts >= maxRemovals) return leave(row, problem)
      const wait = Math.max(pauseAfter(attempts, true), (isExpected ? error.retryAfterMs : undefined) ?? 0)
      await store.postponeRecord(db, { id: row.id, attempts, problem, next_at: timers.now() + wait })
    }
  }
  return {
    /** Notes a record that is about to be made. Throws when the order is gone. */
    async note(
      { id, provider_id }: Pick<OrderRow, 'id' | 'provider_id'>,
      { zone, name, value }: TxtRecord,
    ): Promise<void> {
      const base = { id: randomUUID(), order_id: id, provider_id, zone, name, value }
      const row = { ...base, attempts: 0, problem: null, next_at: null, created_at: timers.now() }
      if (!(await store.noteRecord(db, row))) throw new OrderGone()
    },
    /** Removes the records that no order needs any more; returns the ids of the orders whose records changed. */
    async sweep(): Promise<string[]> {
      const due = await store.dueRecords(db, timers.now(), together)
      await allEnded(due.map(remove))
      return due.map(({ order_id: id }) => id)
    },
  }
}

/** An order was deleted while one of its steps ran. */
export class OrderGone extends Error {
  override readonly name = 'OrderGone'
}
