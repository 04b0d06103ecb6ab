import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createManualClock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'
import { createLiveTail } from './live-tail.ts'
import type { LiveRequest } from './schema.ts'

const clock = createManualClock(1_800_000_000_000)
const line = (more: Partial<LogLine> = {}): LogLine => ({
  at: clock.now(),
  siteId: undefined,
  host: 'a.example',
  method: 'GET',
  path: '/',
  status: 200,
  bytes: 1,
  durationMs: 1,
  client: '192.0.2.1',
  isProbe: false,
  ...more,
})

const listener = (siteId?: number) => ({ owner: 'me', siteId, isAllowed: () => Promise.resolve(true) })

/** Returns the requests since the last call. */
async function seenBy(stream: Readable): Promise<LiveRequest[]> {
  let text = ''
  await setImmediate()
  for (let piece = stream.read() as Buffer | null; piece !== null; piece = stream.read() as Buffer | null) {
    text += piece.toString()
    await setImmediate()
  }
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as LiveRequest)
}

test('a subscriber sees only its sites, no stale requests, and no more than it can read', async () => {
  const live = createLiveTail(clock)
  const one = (await live.subscribe(listener(1)))!
  const all = (await live.subscribe(listener()))!
  assert.deepEqual(await seenBy(one), [{ request: null, skipped: 0 }])
  await seenBy(all)
  live.publish(line({ path: '/old', at: clock.now() - 61_000 }), 1)
  live.publish(line({ path: '/two' }), 2)
  for (let count = 0; count < 70; count += 1) live.publish(line({ path: `/${count}` }), 1)
  assert.deepEqual(
    (await seenBy(one)).map(({ request }) => request?.path),
    Array.from({ length: 50 }, (_, count) => `/${count}`),
  )
  assert.equal((await seenBy(all)).length, 50)
  clock.advance(1000)
  live.publish(line({ path: '/next' }), 1)
  assert.deepEqual(
    (await seenBy(one)).map(({ request, skipped }) => [request?.path, request?.site_id, skipped]),
    [['/next', 1, 20]],
  )
  live.close()
})

test('concurrent viewers are limited in total and per session', async () => {
  const live = createLiveTail(clock)
  const open = async (owner: string, count: number) => {
    const streams = Array.from({ length: count }, () => live.subscribe({ ...listener(), owner }))
    return (await Promise.all(streams)).filter((stream) => stream !== undefined)
  }
  const [mine, others] = [await open('mine', 11), await open('another', 9)]
  assert.deepEqual([mine.length, others.length, (await open('a third', 2)).length], [10, 9, 1])
  mine[0]?.destroy()
  await new Promise((resolve) => mine[0]?.on('close', resolve))
  assert.equal((await open('mine', 2)).length, 1)
  live.close()
})
