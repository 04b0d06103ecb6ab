import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createSkippingTimers } from '@hearth/runtime'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import * as store from '../store.ts'
import { begin } from './order-machine.ts'
import { columnsOf } from './order-view.ts'
import { Orders, type OrdersDependencies } from './orders.ts'

test('a renewal that is asked for in the moment in which a step ends begins all the same', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const db = database.query
  const timers = createSkippingTimers()
  const now = timers.now()
  const times = { created_at: now, changed_at: now }
  await store.insertProvider(db, { id: 'p', name: 'Home', kind: 'webhook', settings_sealed: '', ...times })
  const base = { id: 'o', name: 'House', domains: 'example.org', provider_id: 'p', directory: 'https://ca.test/dir' }
  const idle = { ...begin({}, 'Ordered', now), progress: { step: 'idle' }, nextAt: now + 1000 } as const
  await store.insertOrder(db, { ...base, certificate_id: null, key_sealed: null, ...columnsOf(idle), ...times })
  let isEnding = true
  const orders = new Orders({
    db,
    timers: {
      ...timers,
      after: () => () => undefined,
      // The order was read just now, and the step ends before it is changed.
      now() {
        if (isEnding)
          void db
            .updateTable('certificate_orders')
            .set({ changed_at: now + 1 })
            .execute()
        isEnding = false
        return now
      },
    },
    onClose: () => undefined,
  } as unknown as OrdersDependencies)
  assert.equal((await orders.run('o'))?.step, 'account')
  assert.equal(await orders.run('none'), undefined)
  await orders.close()
  await database.close()
})
