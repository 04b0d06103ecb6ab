import { migrate, openDatabase } from '@hearth/database'
import { createSkippingTimers } from '@hearth/runtime'
import { begin, type OrderState } from '../src/acme/orders/order-machine.ts'
import { columnsOf } from '../src/acme/orders/order-view.ts'
import * as store from '../src/acme/store.ts'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'

/** An embedded database of certificate orders, with a DNS provider `p`, and time that passes at once. */
export async function openOrderDatabase() {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const db = database.query
  const timers = createSkippingTimers()
  const now = timers.now()
  const times = { created_at: now, changed_at: now }
  await store.insertProvider(db, { id: 'p', name: 'Home', kind: 'webhook', settings_sealed: '', ...times })
  return {
    db,
    timers,
    now,
    /** Adds an order that has just begun, or stands otherwise. */
    addOrder: (id: string, state: Partial<OrderState> = {}) =>
      store.insertOrder(db, {
        id,
        name: id,
        domains: `${id}.example.org`,
        provider_id: 'p',
        directory: 'https://ca.test/dir',
        certificate_id: null,
        key_sealed: null,
        ...columnsOf({ ...begin({}, 'Ordered', now), ...state }),
        ...times,
      }),
    [Symbol.asyncDispose]: () => database.close(),
  }
}
