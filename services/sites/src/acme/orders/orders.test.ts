import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOrderDatabase } from '../../../test/order-database.ts'
import { Orders, type OrdersDependencies } from './orders.ts'

test('a renewal that is asked for in the moment in which a step ends begins all the same', async () => {
  await using place = await openOrderDatabase()
  const { db, timers, now } = place
  await place.addOrder('o', { progress: { step: 'idle' }, nextAt: now + 1000 })
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
})
