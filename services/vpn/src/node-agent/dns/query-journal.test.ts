import assert from 'node:assert/strict'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Clock, createManualClock, createSkippingTimers, SettledClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { linkPaths, type QueryBatch } from '../../nodes/link-schema.ts'
import { batchesIn, batchFileName } from '../../query-log/journal-files.ts'
import { type ControlLink, ControlRefused } from '../control-link.ts'
import { QueryJournal } from './query-journal.ts'
import { sendQueries } from './query-loop.ts'

const day = 86_400_000

async function openFolder(retentionDays = 7) {
  const directory = await temporaryDirectory('node')
  const folder = join(directory.path, 'dns/queries')
  await mkdir(folder, { recursive: true })
  await writeFile(join(directory.path, 'dns/settings.json'), JSON.stringify({ logRetentionDays: retentionDays }))
  const lines: string[] = []
  const say = (text: unknown) => void lines.push(String(text))
  const log = { warn: say, error: say }
  return {
    folder,
    lines,
    log,
    open: (limits?: { bytes: number; days: number }, clock?: Clock) =>
      new QueryJournal({
        directory: directory.path,
        log,
        settled: clock === undefined ? { isSettled: () => true } : new SettledClock(clock),
        ...(limits === undefined ? {} : { limits }),
      }),
    async put(number: number, count: number, at = Date.now()) {
      const name = Buffer.from(`\x01a\x07example\0`, 'latin1').toString('base64url')
      const line = `${JSON.stringify([at, 5, name, 1, 0, 0, 0, 0, 0, null, 900])}\n`
      const file = join(folder, batchFileName(number, count))
      await writeFile(file, line.repeat(count))
      await utimes(file, at / 1000, at / 1000)
    },
    numbers: () => batchesIn(folder).map(({ number }) => number),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

test('batches go in their order, and once they are written down they are gone', async () => {
  await using world = await openFolder()
  await world.put(2, 3)
  await world.put(1, 2)
  const journal = world.open()
  const first = await journal.oldest()
  assert.deepEqual([first?.number, first?.entries.length, journal.waiting], [1, 2, 5])
  await journal.confirm(1, 1)
  assert.deepEqual(world.numbers(), [2])
  assert.equal((await world.open().oldest())?.count, first?.count, 'the count stays')
  assert.equal(JSON.parse(await readFile(join(world.folder, 'position.json'), 'utf8')).last, 1)
})

test('an older copy of the disk begins another count, so that its queries count', async () => {
  await using world = await openFolder()
  await world.put(3, 1)
  const journal = world.open()
  const first = await journal.oldest()
  await journal.confirm(3, 900)
  const again = await journal.oldest()
  assert.equal(again?.number, 3)
  assert.notEqual(again?.count, first?.count)
})

test('a line that a crash cut off, and what is no entry, costs that line alone', async () => {
  await using world = await openFolder()
  await world.put(1, 2)
  const file = join(world.folder, batchFileName(1, 2))
  await writeFile(file, `${await readFile(file, 'utf8')}[1,2]\n[17`)
  assert.equal((await world.open().oldest())?.entries.length, 2)
})

test('what waits is bounded by size and age, and what was deleted is counted', async () => {
  await using world = await openFolder()
  const now = Date.now()
  await world.put(1, 10, now - 8 * day)
  await world.put(2, 10, now - 6 * day)
  for (let number = 3; number <= 6; number += 1) await world.put(number, 100)
  const journal = world.open({ bytes: 20_000, days: 7 })
  await journal.limit(now)
  assert.deepEqual(world.numbers(), [4, 5, 6])
  // The settings keep queries for 7 days, so what is older is not lost.
  assert.deepEqual([journal.lost, journal.lostAt], [110, now])
  assert.match(world.lines.join('\n'), /too many or too old; deleted: 110$/)
  assert.equal(world.open().lost, 0, 'nothing is known before it looks')
  const next = world.open()
  await next.oldest()
  assert.deepEqual([next.lost, next.lostAt], [110, now])
  await next.confirm(6, 4)
  assert.equal(next.lostAt, now, 'what is written down is not lost')
})

test('a clock that is ahead for a while deletes nothing that waits, but what is too much', async () => {
  await using world = await openFolder()
  const clock = createManualClock(Date.now())
  for (const number of [1, 2, 3]) await world.put(number, 100, clock.now() - day)
  const journal = world.open({ bytes: 15_000, days: 7 }, clock)
  clock.jump(400 * day)
  await journal.limit(clock.now())
  assert.deepEqual(world.numbers(), [2, 3])
  clock.jump(-400 * day)
  await journal.limit(clock.now())
  assert.deepEqual(world.numbers(), [2, 3])
  clock.advance(7 * day)
  await journal.limit(clock.now())
  assert.deepEqual(world.numbers(), [])
  assert.equal(journal.lost, 100)
})

test('limits are looked at once a minute, and new batches are found meanwhile', async () => {
  await using world = await openFolder()
  const now = Date.now()
  const journal = world.open({ bytes: 1000, days: 7 })
  await world.put(1, 1)
  await journal.limit(now)
  await world.put(2, 100)
  await journal.limit(now + 30_000)
  assert.deepEqual(world.numbers(), [1, 2])
  assert.equal((await journal.oldest())?.number, 1)
  await journal.confirm(1, 1)
  assert.equal((await journal.oldest())?.number, 2)
  await journal.limit(now + 61_000)
  assert.deepEqual(world.numbers(), [])
  assert.equal(journal.lost, 100)
})

test('queries that are deleted one batch after the other are in the log at once, and then hourly', async () => {
  await using world = await openFolder()
  const now = Date.now()
  const journal = world.open({ bytes: 1000, days: 7 })
  for (const minutes of [0, 2, 4, 70]) {
    await world.put(minutes + 1, 100)
    await journal.limit(now + minutes * 60_000)
  }
  const counts = world.lines.map((line) => /deleted: (\d+)$/.exec(line)?.[1])
  assert.deepEqual([counts, journal.lost, journal.lostAt], [['100', '300'], 400, now + 70 * 60_000])
})

test('without retention in the settings nothing stays, and nothing counts as lost', async () => {
  await using world = await openFolder(0)
  await world.put(1, 10)
  const journal = world.open()
  await journal.limit(Date.now())
  assert.deepEqual(world.numbers(), [])
  assert.deepEqual([journal.lost, journal.lostAt], [0, null])
})

/** Sends until all is gone or the service has been asked so often. */
async function sendAll(
  world: Awaited<ReturnType<typeof openFolder>>,
  answer: (batch: QueryBatch, turn: number) => number | Error,
  turns: number,
) {
  const end = new AbortController()
  const sent: QueryBatch[] = []
  await sendQueries(
    {
      journal: world.open(),
      log: world.log,
      timers: { now: () => Date.now(), monotonic: () => performance.now(), delay: () => Promise.resolve() },
      link: {
        async send(path, body, { answer: schema }) {
          assert.equal(path, linkPaths.queries)
          sent.push(body as QueryBatch)
          if (sent.length === turns) end.abort()
          const result = answer(body as QueryBatch, sent.length)
          if (result instanceof Error) throw result
          return schema.parse({ counted: result })
        },
      },
    },
    end.signal,
  )
  return sent
}

test('a batch is sent again until it is answered, then the next one', async () => {
  await using world = await openFolder()
  await world.put(1, 1)
  await world.put(2, 1)
  const broken = new Error('socket hang up')
  const sent = await sendAll(world, ({ number }, turn) => (turn <= 2 ? broken : number), 4)
  assert.deepEqual(
    sent.map(({ number }) => number),
    [1, 1, 1, 2],
  )
  assert.deepEqual(world.numbers(), [])
})

test('a batch that the service refuses is given up, and the reason is logged', async () => {
  await using world = await openFolder()
  await world.put(1, 4)
  await world.put(2, 1)
  const refused = new ControlRefused(422, 'entries.0.2 is not a domain name in wire form')
  const unknown = new ControlRefused(404, 'This version of the service does not know this request of a node')
  const sent = await sendAll(world, ({ number }, turn) => (number === 1 ? refused : turn < 4 ? unknown : number), 4)
  assert.deepEqual(
    sent.map(({ number }) => number),
    [1, 2, 2, 2],
  )
  assert.deepEqual(world.numbers(), [])
  assert.deepEqual(world.lines, [
    'the service refuses queries of this node: entries.0.2 is not a domain name in wire form; lost: 4',
    'the service does not take the queries of this node: This version of the service does not know this request of a node',
  ])
})

test('no time is after that of its message, whatever the clock did', async () => {
  await using world = await openFolder()
  await world.put(1, 1, Date.now() + 3_600_000)
  const [batch] = await sendAll(world, ({ number }) => number, 1)
  assert.ok((batch?.entries[0]?.[0] ?? Infinity) <= (batch?.sent_at ?? 0))
})

test('batches that wait go half a second apart, and an empty journal is read again after a second', async () => {
  const timers = createSkippingTimers()
  const end = new AbortController()
  const batches = [1, 2].map((number) => ({ count: 'one', number, entries: [] }))
  const reads: number[] = []
  const journal = {
    limit: () => Promise.resolve(),
    confirm: () => Promise.resolve(),
    giveUp: () => Promise.resolve(),
    oldest: async () => {
      reads.push(Math.round(timers.monotonic() / 100) / 10)
      if (reads.length === 5) end.abort()
      return batches.shift()
    },
  }
  const link = {
    send: async (_: string, __: object, { answer }: { answer: { parse: (body: object) => unknown } }) =>
      answer.parse({ counted: 1 }),
  }
  const log = { warn: assert.fail, error: assert.fail }
  await sendQueries({ link: link as unknown as ControlLink, journal, timers, log }, end.signal)
  assert.deepEqual(reads, [0, 0.5, 1, 2, 3])
})
