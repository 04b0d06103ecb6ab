import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { entryOf } from '../../test/query-log-fixture.ts'
import { LogThreadHost } from './log-thread-host.ts'

test('closing does not wait for a dead thread, and its successor writes the waiting entries', async () => {
  await using folder = await temporaryDirectory('log-thread')
  const memory = createRingMemory(1 << 20)
  const ring = new LogRing(memory)
  ring.append(entryOf({ name: 'www.example.com' }))
  ring.publish()
  const warnings: string[] = []
  const rings = [new SharedArrayBuffer(8)]
  const file = join(folder.path, 'query-log.db')
  const host = new LogThreadHost(
    { rings, file, retentionDays: 7 },
    { onWritten: () => undefined, warn: (message) => warnings.push(message) },
  )
  // A ring without room for its own head ends the thread as it starts.
  await assert.rejects(host.purge(Date.now(), null), /the query log failed/)
  assert.match(warnings.join(), /the query log failed/)
  rings[0] = memory
  await host.close()
  assert.equal(ring.waiting(), 0)
})
