import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict } from '../../problems.ts'
import * as store from '../store.ts'
import type { AcmeTables, OrderRow } from '../tables.ts'
import { noted } from './order-machine.ts'
import { columnsOf, stateOfRow } from './order-view.ts'

interface OrderChangeDependencies {
  readonly db: Kysely<AcmeTables>
  readonly timers: Pick<Clock, 'now'>
}

/** Tries of a change between steps that end. */
const maxTries = 5

/** Changes an order as it is by then; false when it is gone. Throws a conflict when its steps end faster than that. */
export async function changeNewest(
  { db, timers }: OrderChangeDependencies,
  id: string,
  change: (order: OrderRow, now: number) => Omit<store.OrderWrite, 'now'> | Promise<Omit<store.OrderWrite, 'now'>>,
): Promise<boolean> {
  for (let left = maxTries; left > 0; left -= 1) {
    const order = await store.findOrder(db, id)
    if (order === undefined) return false
    const now = timers.now()
    // False when a step ended just now.
    if (await store.changeOrder(db, order, { ...(await change(order, now)), now })) return true
  }
  throw conflict('The order changes all the time; try again')
}

/** Adds an entry to the history of an order; false when it is gone. */
export function noteInHistory(dependencies: OrderChangeDependencies, id: string, text: string): Promise<boolean> {
  return changeNewest(dependencies, id, (order, now) => {
    return { values: columnsOf(noted(stateOfRow(order), text, now)), isOver: false }
  })
}
