import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, open, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createManualClock, SettledClock, systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { asideOf } from './log-database.ts'
import { QueryLog } from './query-log.ts'
import { LogRetention } from './log-retention.ts'
import { LogWriter } from './log-writer.ts'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { alwaysSettled, createTestLog, entryOf, isInFiles } from '../../test/query-log-fixture.ts'

const day = 86_400_000

async function readAll(file: string) {
  const log = new QueryLog({ file, clock: systemClock })
  const { rows, total } = await log.list({}, { limit: 100, offset: 0 })
  await log.close()
  return { rows, total }
}

test('ids increase across restarts, purges and a clock set back; times are stored as given', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const now = Date.now()
  const first = createTestLog(file)
  first.log({ at: now }, { at: now }, { at: now - 7_200_000 }, { at: now + 10 })
  const before = (await readAll(file)).rows
  assert.deepEqual(
    before.map(({ at }) => at),
    [now + 10, now - 7_200_000, now, now],
  )
  assert.ok(before.every(({ id }, index) => id < (before[index - 1]?.id ?? Infinity)))
  first.purge({ before: Infinity, client: null })
  first.writer.close()
  const second = createTestLog(file)
  second.log({ at: now - day })
  const [row] = (await readAll(file)).rows
  assert.equal(row?.at, now - day)
  assert.ok(row.id > before[0]!.id)
  second.writer.close()
})

test('entries of several rings are written in time order, also late ones', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const memories = [createRingMemory(1 << 16), createRingMemory(1 << 16), createRingMemory(1 << 16)]
  const rings = memories.map((memory) => new LogRing(memory))
  const writer = new LogWriter(file, memories, new LogRetention(30, alwaysSettled))
  const begin = Date.now() - 60_000
  const put = (ring: number, ...moments: readonly number[]) => {
    for (const at of moments) rings[ring]!.append(entryOf({ at: begin + at }))
    rings[ring]!.publish()
  }
  put(0, 1, 2, 5, 5, 9, 1000)
  put(1, 3, 4, 5, 8, 1001)
  put(2, 6, 7)
  assert.equal(
    writer.write(undefined, () => begin + 1001),
    11,
  )
  put(2, 990)
  assert.equal(
    writer.isDue(() => begin + 1002),
    false,
  )
  assert.equal(
    writer.isDue(() => begin + 1090),
    true,
  )
  assert.equal(
    writer.write(undefined, () => begin + 1090),
    1,
  )
  assert.equal(
    writer.write(undefined, () => begin + 1099),
    0,
  )
  assert.equal(
    writer.write(undefined, () => begin + 1101),
    2,
  )
  // The clock is set back: what was made before waits for nothing.
  put(0, 5000, 2000)
  put(1, 2001)
  assert.equal(
    writer.write(undefined, () => begin + 2050),
    2,
  )
  assert.equal(writer.write(), 1)
  writer.close()
  const { rows } = await readAll(file)
  const expected = [1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 990, 1000, 1001, 5000, 2000, 2001]
  assert.deepEqual(
    rows.toReversed().map(({ at }) => at - begin),
    expected,
  )
})

test('an entry that comes while the clock is read does not go before older ones', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const memories = [createRingMemory(1 << 16), createRingMemory(1 << 16)]
  const [one, other] = memories.map((memory) => new LogRing(memory))
  const writer = new LogWriter(file, memories, new LogRetention(30, alwaysSettled))
  const begin = Date.now() - 60_000
  one!.append(entryOf({ at: begin }))
  one!.publish()
  // The thread is stopped in between, as on a busy machine.
  const written = writer.write(undefined, () => {
    other!.append(entryOf({ at: begin + 30 }))
    other!.publish()
    return begin + 20
  })
  assert.equal(written, 0)
  assert.equal(writer.write(), 2)
  writer.close()
  const { rows } = await readAll(file)
  assert.deepEqual(
    rows.toReversed().map(({ at }) => at - begin),
    [0, 30],
  )
})

test('the writer sees entries that arrive meanwhile', async () => {
  await using folder = await temporaryDirectory('query-log')
  const { ring, writer } = createTestLog(join(folder.path, 'query-log.db'))
  const append = (count: number) => {
    for (let n = 0; n < count; n++) ring.append(entryOf({}))
    ring.publish()
  }
  append(5000)
  const seen: number[] = []
  const look = () => {
    append(1)
    seen.push(writer.waiting)
  }
  assert.equal(writer.write(look), 5000)
  assert.ok(seen.length >= 4, `${seen.length} looks`)
  assert.ok(
    seen.every((bytes, index) => bytes > (seen[index - 1] ?? 0)),
    seen.join(' '),
  )
  assert.equal(writer.write(), seen.length)
  writer.close()
})

test('after a purge nothing of the client’s names stands in the files, and what others queried is there', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, purge, writer } = createTestLog(file)
  writer.useClients([
    { number: 1, id: 'one', name: 'Phone of Anna', addresses: ['10.0.0.2'] },
    { number: 2, id: 'two', name: 'Laptop', addresses: ['10.0.0.3'] },
  ])
  for (let n = 0; n < 30; n++) {
    log(
      ...Array.from({ length: 1000 }, (_, k) =>
        k % 3 === 0
          ? { client: 1, name: `private-${(n * 1000 + k) % 4000}.secret.example` }
          : { client: 2, name: `public-${k}.example` },
      ),
    )
  }
  assert.ok(await isInFiles(file, '.secret.example'))
  // Someone reads meanwhile, as a page does.
  const reader = new QueryLog({ file, clock: systemClock })
  assert.equal((await reader.list({ domain: 'secret' }, { limit: 1, offset: 0 })).total, 10_020)
  writer.useClients([{ number: 2, id: 'two', name: 'Laptop', addresses: ['10.0.0.3'] }])
  assert.deepEqual(purge({ before: Infinity, client: 1 }), { removed: 10_020, error: null })
  assert.equal(await isInFiles(file, 'private-'), false)
  assert.equal(await isInFiles(file, 'secret'), false)
  assert.equal(await isInFiles(file, 'Phone of Anna'), false)
  assert.ok(await isInFiles(file, 'public-'))
  assert.equal((await reader.list({ domain: 'secret' }, { limit: 1, offset: 0 })).total, 0)
  assert.equal((await reader.list({ client: 'Laptop' }, { limit: 1, offset: 0 })).total, 19_980)
  await reader.close()
  writer.close()
})

test('after a purge the files contain no names moved by earlier purges', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, purge, writer } = createTestLog(file)
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 12; n++) {
      const names = Array.from({ length: 1000 }, (_, k) => `${round}-${n}-${k}.${'x'.repeat((k * 7) % 40)}`)
      log(
        ...names.map((name, k) => ({ client: 1 + (k % 3), name: `${['private', 'other', 'public'][k % 3]}-${name}` })),
      )
    }
    assert.equal(purge({ before: Infinity, client: 2 }).removed, 3996)
    assert.equal(await isInFiles(file, 'other-'), false)
    assert.equal(purge({ before: Infinity, client: 1 }).removed, 4008)
    assert.equal(await isInFiles(file, 'private-'), false)
  }
  assert.equal((await readAll(file)).total, 4 * 3996)
  writer.close()
})

test('expired entries are deleted together with their names and disk space', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, settle, writer } = createTestLog(file, { days: 2 })
  const now = Date.now()
  const old = Array.from({ length: 1000 }, (_, n) => ({ at: now - 3 * day + n, name: `old-${n}.example` }))
  for (let n = 0; n < 40; n++) log(...old)
  log(...Array.from({ length: 500 }, () => ({ at: now - day, name: 'young.example' })))
  const { size } = await stat(file)
  writer.retain(now)
  settle()
  const { total, rows } = await readAll(file)
  assert.equal(total, 500)
  assert.ok(rows.every(({ domain }) => domain === 'young.example'))
  const database = new DatabaseSync(file)
  assert.deepEqual({ ...database.prepare('SELECT count(*) AS names FROM name').get() }, { names: 1 })
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  assert.ok((await stat(file)).size < size / 2 || (await stat(file)).size < 300_000)
  writer.retention.days = 0
  writer.retain(now)
  log({ name: 'never.example' })
  settle()
  assert.equal((await readAll(file)).total, 0)
  assert.equal(writer.lost, 0)
  writer.close()
})

test('a clock that is ahead for a while deletes nothing, whatever the settings say; a retention of 0 acts at once', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const clock = createManualClock(Date.now())
  const { log, settle, writer } = createTestLog(file, { days: 7, settled: new SettledClock(clock) })
  await writeFile(asideOf(file), 'set aside')
  const [right, wrong] = [clock.now(), 400 * day]
  log(...Array.from({ length: 20_000 }, (_, n) => ({ at: right - day + n, name: `n-${n % 10}.example` })))
  const kept = async () => {
    writer.retain(clock.now())
    settle()
    return [(await readAll(file)).total, existsSync(asideOf(file))]
  }
  assert.deepEqual(await kept(), [20_000, true])
  clock.jump(wrong)
  assert.deepEqual(await kept(), [20_000, true])
  writer.retention.days = 6
  assert.deepEqual(await kept(), [20_000, true])
  const batch = { nodeId: 'n1', count: 'one', upstreams: [], number: 1, entries: [entryOf({ at: right })] }
  assert.equal(writer.takeBatch(batch, clock.now())?.count, 1)
  clock.jump(-wrong)
  assert.deepEqual(await kept(), [20_001, true])
  clock.advance(8 * day)
  assert.deepEqual(await kept(), [0, false])
  log({ at: clock.now() })
  clock.jump(wrong)
  writer.retention.days = 0
  assert.deepEqual(await kept(), [0, false])
  writer.close()
})

test('a shorter retention acts at once after a start', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const clock = createManualClock(Date.now())
  const { log, settle, writer } = createTestLog(file, { days: 7, settled: new SettledClock(clock) })
  log({ at: clock.now() - 3 * day, name: 'old.example' }, { at: clock.now(), name: 'new.example' })
  settle()
  writer.retention.days = 2
  writer.retain(clock.now())
  settle()
  assert.equal((await readAll(file)).total, 1)
  writer.close()
})

test('what a clock dated far back takes nothing with it that is younger', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, purge, settle, writer } = createTestLog(file)
  const now = Date.now()
  const write = (count: number, at: number, name: string) => {
    for (let n = 0; n < count; n += 1000) log(...Array.from({ length: 1000 }, (_, k) => ({ at: at + n + k, name })))
  }
  write(40_000, now - day, 'young.example')
  write(40_000, 86_400_000, 'of-1970.example')
  writer.retain(now)
  settle()
  assert.equal((await readAll(file)).total, 40_000)
  write(40_000, 86_400_000, 'of-1970.example')
  purge({ before: now - 2 * day, client: null })
  const { total, rows } = await readAll(file)
  assert.equal(total, 40_000)
  assert.ok(rows.every(({ domain }) => domain === 'young.example'))
  writer.close()
})

test('an id is never shared by two names, even when names are removed and added', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, purge, writer } = createTestLog(file)
  for (let n = 0; n < 20; n++) {
    log({ client: 1, name: `gone-${n}.example` }, { client: 2, name: `kept-${n}.example`, type: n })
    purge({ before: Infinity, client: 1 })
  }
  const { rows } = await readAll(file)
  assert.deepEqual(
    rows.map(({ domain, type }) => [domain, type]),
    Array.from({ length: 20 }, (_, n) => [`kept-${19 - n}.example`, 19 - n]),
  )
  writer.close()
})

test('a corrupt or foreign file is quarantined and reported, and a new one is started', async () => {
  await using folder = await temporaryDirectory('query-log')
  for (const [name, make] of [
    ['text.db', (file: string) => writeFile(file, 'no database at all, '.repeat(1000))],
    ['other.db', async (file: string) => new DatabaseSync(file).exec('CREATE TABLE other (x)')],
  ] as const) {
    const file = join(folder.path, name)
    await make(file)
    const { log, writer } = createTestLog(file)
    assert.equal(log({ name: 'a.example' }), 0)
    assert.match(writer.failure ?? '', /set aside/)
    assert.equal(writer.write(), 1)
    assert.equal(writer.failure, null)
    assert.equal(writer.lost, 0)
    assert.ok(existsSync(asideOf(file)))
    assert.equal((await readAll(file)).total, 1)
    // Nothing in it can be purged: it goes in time, or with a purge.
    const long = (Date.now() - 60 * day) / 1000
    await utimes(asideOf(file), long, long)
    writer.retain(Date.now())
    assert.equal(existsSync(asideOf(file)), false)
    writer.close()
  }
})

test('a database that breaks while writing is quarantined too', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const first = createTestLog(file)
  for (let n = 0; n < 10; n++) first.log(...Array.from({ length: 1000 }, (_, k) => ({ name: `n${n}-${k}.example` })))
  first.writer.close()
  const { size } = await stat(file)
  // Everything behind the first page, where SQLite looks when it opens.
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(size - 4096, 0xee), 0, size - 4096, 4096)
  await handle.close()
  const second = createTestLog(file)
  for (let tries = 0; tries < 3 && second.log({ name: 'after.example' }) === 0; tries++);
  assert.equal(second.writer.lost, 0)
  assert.ok((await readAll(file)).total > 0)
  assert.ok(existsSync(asideOf(file)))
  second.writer.close()
})

test('while the file cannot be opened entries wait; overflow is counted, and nothing throws', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  await mkdir(file)
  const { log, writer } = createTestLog(file, { bytes: 4096 })
  assert.equal(log({ name: 'first.example' }), 0)
  assert.notEqual(writer.failure, null)
  for (let n = 0; n < 200; n++) log({ name: 'more.example' })
  assert.ok(writer.lost > 0)
  const { lost } = writer
  await rm(file, { recursive: true })
  assert.equal(log(), 201 - lost)
  assert.equal(writer.failure, null)
  const { rows } = await readAll(file)
  assert.equal(rows.at(-1)?.domain, 'first.example')
  writer.close()
})

test('while another writer holds the file entries wait and are then written once', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, writer } = createTestLog(file)
  log({ name: 'a.example' })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  assert.equal(log({ name: 'b.example' }, { name: 'a.example' }), 0)
  assert.match(writer.failure ?? '', /locked/)
  other.exec('ROLLBACK')
  other.close()
  assert.equal(log({ name: 'c.example' }), 3)
  const { rows } = await readAll(file)
  assert.deepEqual(
    rows.map(({ domain }) => domain),
    ['c.example', 'a.example', 'b.example', 'a.example'],
  )
  writer.close()
})

test('when query kinds run out of ids, entries still count, with an unknown type', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, writer } = createTestLog(file, { bytes: 1 << 24 })
  for (let from = 0; from < 65_536; from += 8192) {
    log(...Array.from({ length: 8192 }, (_, n) => ({ name: 'flood.example', type: from + n })))
  }
  assert.equal(writer.lost, 0)
  const { total, rows } = await readAll(file)
  assert.equal(total, 65_536)
  assert.equal(rows[0]?.type, 0)
  writer.close()
})

test('a peer that is gone keeps its last name as long as one of its queries is kept', async () => {
  await using folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log, writer, purge } = createTestLog(file)
  writer.useClients([{ number: 5, id: 'five', name: 'Tablet', addresses: ['10.0.0.9'] }])
  log({ client: 5 })
  writer.useClients([])
  log({ client: 6 })
  purge({ before: Infinity, client: 6 })
  const { rows } = await readAll(file)
  assert.deepEqual(
    rows.map(({ peer }) => peer),
    [{ id: 'five', name: 'Tablet', address: '10.0.0.9' }],
  )
  writer.close()
})
