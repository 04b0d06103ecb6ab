import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { ArtifactStorageFailed } from './artifact-store.ts'
import { watchBody } from './s3-connection.ts'

test('a stalled sender ends the stream with an error', async () => {
  const body = new PassThrough()
  body.write('some')
  const watched = watchBody(body, 60_000, createFastTimers(1000))
  await assert.rejects(buffer(watched), ArtifactStorageFailed)
  assert.ok(body.destroyed)
})

test('a reader may pause longer than the stall timeout', async () => {
  const timers = createFastTimers(1000)
  const body = new PassThrough()
  for (let index = 0; index < 100; index += 1) body.write(Buffer.alloc(100_000))
  body.end()
  const watched = watchBody(body, 60_000, timers)
  await once(watched, 'readable')
  await timers.delay(200_000)
  assert.equal((await buffer(watched)).length, 10_000_000)
})

test('abandoning the stream, also unread, ends the body', async () => {
  const body = new PassThrough()
  const watched = watchBody(body, 60_000)
  watched.destroy()
  await once(body, 'close')
  assert.ok(body.destroyed)
})
