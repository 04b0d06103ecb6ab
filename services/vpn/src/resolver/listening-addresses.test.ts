import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeListener } from '../../test/resolver-fixture.ts'
import type { DataListener } from '../dns/loops/data-config.ts'
import { ListeningAddresses } from './listening-addresses.ts'

test('an address that the data thread opens itself is in use when the thread has said so, not before', async () => {
  const assigned = Promise.withResolvers<readonly DataListener[]>()
  const addresses = new ListeningAddresses({
    libc: undefined,
    assign: async (listeners) => assigned.resolve(listeners),
    connected: (socket) => socket.destroy(),
  })
  const order: string[] = []
  const applied = addresses.apply([await freeListener()]).then(() => order.push('in use'))
  const [listener] = await assigned.promise
  assert.ok(listener)
  // Whoever waits for `assign` alone goes on before this.
  await new Promise(setImmediate)
  order.push('opened')
  addresses.note(listener.number, null)
  await applied
  await addresses.close()
  assert.deepEqual(order, ['opened', 'in use'])
})
