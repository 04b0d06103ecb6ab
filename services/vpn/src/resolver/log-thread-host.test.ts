import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
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
    { rings, file, retentionDays: 7, watched: { tunnels: true, blocked: true } },
    { onWritten: () => undefined, warn: (message) => warnings.push(message) },
  )
  // A ring without room for its own head ends the thread as it starts.
  await assert.rejects(host.purge(Date.now(), null), /the query log failed/)
  assert.match(warnings.join(), /the query log failed/)
  rings[0] = memory
  await host.close()
  assert.equal(ring.waiting(), 0)
})

test('the thread starts with the first entry, and writes it', async () => {
  await using folder = await temporaryDirectory('log-thread')
  const memory = createRingMemory(1 << 20)
  const file = join(folder.path, 'query-log.db')
  let written = 0
  const host = new LogThreadHost(
    { rings: [memory], file, retentionDays: 7, watched: { tunnels: true, blocked: true } },
    { onWritten: (count) => (written += count), warn: assert.fail },
  )
  host.startWhenNeeded()
  const ring = new LogRing(memory)
  ring.append(entryOf({ name: 'www.example.com' }))
  ring.publish()
  await eventually(
    () => written,
    (count) => count === 1,
  )
  await host.close()
})

test('without an entry there is no thread and no file', async () => {
  await using folder = await temporaryDirectory('log-thread')
  const file = join(folder.path, 'query-log.db')
  const host = new LogThreadHost(
    { rings: [createRingMemory(1 << 20)], file, retentionDays: 7, watched: { tunnels: true, blocked: true } },
    { onWritten: () => undefined, warn: assert.fail },
  )
  host.startWhenNeeded()
  await host.close()
  assert.equal(existsSync(file), false)
})
