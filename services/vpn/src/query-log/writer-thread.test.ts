import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { entryOf } from '../../test/query-log-fixture.ts'
import type { FromWriter, ToWriter, WriterStart } from './writer-messages.ts'

function startWriter(start: WriterStart) {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: start })
  const messages: FromWriter[] = []
  worker.on('message', (message: FromWriter) => messages.push(message))
  const ended = new Promise<void>((settle, reject) => worker.once('error', reject).once('exit', () => settle()))
  const send = (message: ToWriter) => worker.postMessage(message, [])
  return {
    messages,
    send,
    async stop() {
      send({ type: 'stop' })
      await ended
    },
  }
}

test('a thread writes and reports entries, and leaves none in the ring when it ends', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const memory = createRingMemory(1 << 20)
  const ring = new LogRing(memory)
  const writer = startWriter({ rings: [memory], file, retentionDays: 7, watched: { tunnels: true, blocked: true } })
  ring.append(entryOf({ name: 'www.example.com' }))
  ring.publish()
  await eventually(
    () => writer.messages,
    (all) => all.some((message) => message.type === 'wrote' && message.count === 1),
  )
  for (let n = 0; n < 9000; n++) ring.append(entryOf({ name: `host-${n % 100}.example.com` }))
  ring.publish()
  await writer.stop()
  assert.deepEqual(writer.messages.at(-1), { type: 'done', task: 'stop', error: null })
  assert.equal(ring.waiting(), 0)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const database = new DatabaseSync(file, { readOnly: true })
  const { count } = database
    .prepare('SELECT (SELECT count(*) FROM recent) + (SELECT ifnull(sum(rows), 0) FROM block) AS count')
    .get() as { count: number }
  database.close()
  assert.equal(count, 9001)
})

test('a purge is confirmed once it is done', async () => {
  await using folder = await temporaryDirectory('query-log')
  const memory = createRingMemory(1 << 20)
  const ring = new LogRing(memory)
  const writer = startWriter({
    rings: [memory],
    file: join(folder.path, 'query-log.db'),
    retentionDays: 7,
    watched: { tunnels: true, blocked: true },
  })
  for (let n = 0; n < 10; n++) ring.append(entryOf({ name: 'a.example', client: 1 + (n % 2) }))
  ring.publish()
  writer.send({ type: 'purge', id: 5, before: Date.now() + 1000, client: 1 })
  await eventually(
    () => writer.messages,
    (all) => all.some(({ type }) => type === 'done'),
  )
  assert.deepEqual(
    writer.messages.find(({ type }) => type === 'done'),
    { type: 'done', task: 'purge', id: 5, removed: 5, error: null },
  )
  await writer.stop()
})
