import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import { Checker } from './checker.ts'
import { maxGapOf, nextRegular, retryDelay, stretchOf } from './schedule.ts'

const log = createLog({ name: 'test', level: 'silent' })
const second = 1000

/** Runs checks of so many sites for a while; `fails` says which fail at a time. */
async function run(options: {
  count: number
  intervalMs?: number
  forMs: number
  concurrency?: number
  takesMs?: number
  fails?: (subject: string, at: number) => boolean
}) {
  const { count, intervalMs = 30 * second, forMs, takesMs = 10, fails = () => false } = options
  const timers = createSkippingTimers()
  const starts: { subject: string; at: number }[] = []
  const failed = new Map<string, number>()
  let running = 0
  let most = 0
  const checker = new Checker({
    timers,
    log,
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    async check({ subject }) {
      starts.push({ subject, at: timers.monotonic() })
      most = Math.max(most, (running += 1))
      await timers.delay(takesMs)
      running -= 1
      const isFailed = fails(subject, timers.monotonic())
      failed.set(subject, isFailed ? (failed.get(subject) ?? 0) + 1 : 0)
      return { failed: failed.get(subject) ?? 0, isUnsettled: isFailed && (failed.get(subject) ?? 0) < 3 }
    },
  })
  checker.setTargets(Array.from({ length: count }, (_, index) => ({ subject: `site:${index}`, intervalMs })))
  checker.start()
  await timers.delay(forMs)
  await checker.close()
  return { starts, most }
}

test('checks are spread over the interval, and each site keeps its own time in it', async () => {
  const { starts } = await run({ count: 300, forMs: 180 * second })
  const late = starts.filter(({ at }) => at > 90 * second)
  const perSecond = Map.groupBy(late, ({ at }) => Math.floor(at / second))
  const most = Math.max(...[...perSecond.values()].map((list) => list.length))
  assert.ok(most <= 30, `${most} checks in one second of ten at the average`)
  for (const [subject, times] of Map.groupBy(late, (start) => start.subject)) {
    const gaps = times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? 0))
    for (const gap of gaps) assert.ok(Math.abs(gap - 30 * second) <= 300, `${subject}: ${gap} ms`)
  }
})

test('no more run at a time than may, and none is forgotten when they are too many', async () => {
  const { starts, most } = await run({
    count: 100,
    intervalMs: 10 * second,
    forMs: 120 * second,
    concurrency: 4,
    takesMs: second,
  })
  assert.equal(most, 4)
  const counts = [...Map.groupBy(starts, ({ subject }) => subject).values()].map((list) => list.length)
  assert.equal(counts.length, 100)
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, String(counts))
})

test('a failure is confirmed sooner than the interval, but not while most sites fail', async () => {
  const one = await run({ count: 10, forMs: 100 * second, fails: (subject) => subject === 'site:3' })
  const times = one.starts.filter(({ subject }) => subject === 'site:3').map(({ at }) => at)
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) < 9 * second, String(times))
  const all = await run({ count: 100, forMs: 300 * second, fails: () => true })
  const perSite = all.starts.filter(({ at }) => at > 60 * second).length / 100
  assert.ok(perSite <= 9, `${perSite} checks of each site in 240 s`)
})

test('a site that fails for long is checked less often, and never less than every five minutes', () => {
  const state = { intervalMs: 60 * second, isUnsettled: false, isWidespread: false }
  assert.equal(retryDelay({ ...state, failed: 5 }), undefined)
  assert.equal(retryDelay({ ...state, failed: 40 }), 120 * second)
  assert.equal(retryDelay({ ...state, failed: 200 }), 240 * second)
  assert.equal(retryDelay({ ...state, failed: 200, intervalMs: 200 * second }), 300 * second)
  assert.equal(retryDelay({ ...state, failed: 200, intervalMs: 3600 * second }), undefined)
  assert.equal(retryDelay({ ...state, failed: 1, isUnsettled: true }), 15 * second)
  assert.ok(maxGapOf(60 * second, 10 * second) > 240 * second)
})

test('the next time is always later than now and on the grid of the site', () => {
  for (const now of [0, 1, 29_999, 30_000, 12_345_678])
    for (const jitter of [0, 0.25, 0.999]) {
      const next = nextRegular(now, 30_000, jitter)
      assert.ok(next > now && next - now <= 30_000)
      assert.ok(Math.abs(((next - jitter * 30_000) / 30_000) % 1) < 1e-6)
    }
})

test('very many sites are checked less often, so that all together are no more than forty a second', () => {
  const of = (count: number, seconds: number) => stretchOf(Array.from({ length: count }, () => seconds * second))
  assert.equal(of(1000, 30), 1)
  assert.ok(Math.abs(of(4000, 50) - 2) < 0.001)
  assert.equal(stretchOf([]), 1)
})
