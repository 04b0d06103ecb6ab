import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import * as fc from 'fast-check'
import { Reason, Trait } from '../dns/policy/verdict.ts'
import type { QueryFilter } from './page-search.ts'
import { QueryLog } from './query-log.ts'
import type { LoggedQuery } from './reading-thread.ts'
import type { QueryLogUnavailable } from './reading-thread.ts'
import type { PreviewedRule } from './rule-preview.ts'
import { createTestLog } from '../../test/query-log-fixture.ts'

const count = 20_000
const now = Date.parse('2026-11-21T12:47:00Z')
const hour = 3_600_000
const domains = [
  'a.example',
  'www.a.example',
  'b.example',
  'cdn.b.example',
  'xn--mnchen-3ya.de',
  'ads.net',
  'x.ads.net',
]
const clients = [
  { number: 1, id: 'id-1', name: 'Laptop', addresses: ['10.0.0.2', 'fd00::2'] },
  { number: 2, id: 'id-2', name: 'Phone', addresses: ['10.0.0.3'] },
  { number: 70_000, id: 'id-3', name: 'Café', addresses: ['10.0.0.4'] },
]

/** Entry `n` of the log; the clock jumps forward for a while and back again. */
function madeEntry(n: number) {
  const jump = n > 9000 && n < 9500 ? 5 * hour : 0
  const reason = n % 7 === 0 ? Reason.rule : n % 5 === 0 ? Reason.list : Reason.none
  const status = reason === Reason.none ? 0 : n % 2
  return {
    name: n % 50 === 0 ? `once-${n}.${domains[n % 7]!}` : domains[(n * 31) % 7]!,
    client: [1, 2, 70_000, 0][(n >> 3) % 4]!,
    at: Math.floor(now - 60 * hour + (n / count) * 60 * hour) + jump,
    status,
    reason,
    source: reason === Reason.none ? 0 : n % 3,
    type: [1, 28, 65, 4711][(n >> 1) % 4]!,
    traits: (n % 4 === 1 ? Trait.cached : 0) | (n % 11 === 0 ? Trait.cname : 0),
    rcode: n % 13 === 0 ? 3 : 0,
    micros: n * 10,
    upstream: n % 3,
  }
}

const made = Array.from({ length: count }, (_, n) => madeEntry(n))
/** Newest first, as the log has them. */
const expected = made.toReversed()
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let log: QueryLog

before(async () => {
  folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const { log: put, writer } = createTestLog(file)
  writer.useClients(clients)
  writer.useUpstreams(['udp://192.0.2.1', 'tls://192.0.2.2'])
  for (let n = 0; n < count; n += 777) put(...made.slice(n, n + 777))
  writer.close()
  log = new QueryLog({ file, clock: { ...systemClock, now: () => now } })
})
after(async () => {
  await log.close()
  await folder[Symbol.asyncDispose]()
})

const passes = (filter: QueryFilter) => (entry: (typeof made)[number]) => {
  const client = clients.find(({ number }) => number === entry.client)
  const wanted = filter.client?.toLowerCase()
  return (
    (wanted === undefined ||
      (client === undefined
        ? wanted === 'unknown'
        : [client.name.toLowerCase(), client.id, ...client.addresses].includes(wanted))) &&
    (filter.domain === undefined || entry.name.includes(filter.domain.toLowerCase())) &&
    (filter.status === undefined || entry.status === filter.status) &&
    (filter.type === undefined || entry.type === filter.type) &&
    (filter.reason === undefined || entry.reason === filter.reason) &&
    (filter.start === undefined || entry.at >= filter.start) &&
    (filter.end === undefined || entry.at < filter.end)
  )
}

const plain = (query: LoggedQuery) => ({
  name: query.domain,
  client: query.client,
  at: query.at,
  status: query.status,
  reason: query.reason,
  source: query.source,
  type: query.type,
  traits: query.traits,
  rcode: query.rcode,
  micros: query.micros,
  upstream: [null, 'udp://192.0.2.1', 'tls://192.0.2.2'].indexOf(query.upstream),
})

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const moment = fc.integer({ min: -70, max: 10 }).map((hours) => now + hours * hour + 1)
const filters = fc.record({
  client: maybe(fc.constantFrom('Laptop', 'phone', 'id-1', '10.0.0.4', 'CAFÉ', 'unknown', 'nobody')),
  domain: maybe(fc.constantFrom('example', 'B.Ex', 'ads', '.', 'once-1', 'once-15000.', 'nothing like it', 'xn--')),
  status: maybe(fc.integer({ min: 0, max: 1 })),
  type: maybe(fc.constantFrom(1, 28, 4711, 99)),
  reason: maybe(fc.integer({ min: 0, max: 5 })),
  start: maybe(moment),
  end: maybe(moment),
})

test('any page equals a linear scan for any filter, and its total is exact', async () => {
  await fc.assert(
    fc.asyncProperty(
      filters,
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom(0, 1, 99, 500, 8191, 19_990),
      async (filter, limit, offset) => {
        const right = expected.filter(passes(filter))
        const { rows, total } = await log.list(filter, { limit, offset })
        assert.equal(total, right.length)
        assert.deepEqual(rows.map(plain), right.slice(offset, offset + limit))
      },
    ),
    { numRuns: 200 },
  )
})

test('paging by the last id returns each matching entry once', async () => {
  for (const filter of [{}, { domain: 'ads', status: 0 }, { client: 'Phone', start: now - 20 * hour }]) {
    const seen: unknown[] = []
    let before: number | undefined
    for (;;) {
      const { rows } = await log.list(filter, { limit: 1000, offset: 0, before })
      if (rows.length === 0) break
      assert.ok(rows.every(({ id }, index) => id < (rows[index - 1]?.id ?? Infinity)))
      seen.push(...rows.map(plain))
      before = rows.at(-1)!.id
    }
    assert.deepEqual(seen, expected.filter(passes(filter)))
  }
})

test('a page starts after the query it names', async () => {
  const { rows } = await log.list({}, { limit: 5, offset: 40 })
  const next = await log.list({}, { limit: 2, offset: 0, before: rows[2]!.id })
  assert.deepEqual(next.rows, rows.slice(3))
})

test('a non-ASCII domain is searched in its logged form', async () => {
  const { total } = await log.list({ domain: 'MÜNCHEN.de' }, { limit: 1, offset: 0 })
  assert.equal(total, made.filter(({ name }) => name.includes('xn--mnchen-3ya.de')).length)
})

test('statistics equal counting each query', async () => {
  for (const [hours, bucket] of [
    [24, 'hour'],
    [1, 'hour'],
    [720, 'day'],
    [48, 'hour'],
  ] as const) {
    const width = bucket === 'hour' ? hour : 24 * hour
    const found = await log.statistics(hours, bucket)
    const start = found.series[0]!.time
    assert.equal(found.series.length, bucket === 'hour' ? hours : hours / 24)
    assert.ok(found.series.at(-1)!.time <= now && now < found.series.at(-1)!.time + width)
    const within = made.filter(({ at }) => at >= start && at < found.series.at(-1)!.time + width)
    const blocked = within.filter(({ status }) => status === 1)
    assert.equal(found.total, within.length)
    assert.equal(found.blocked, blocked.length)
    assert.equal(found.cached, within.filter(({ traits }) => (traits & Trait.cached) !== 0).length)
    assert.equal(found.uniqueDomains, new Set(within.map(({ name }) => name)).size)
    assert.equal(found.uniqueClients, new Set(within.map(({ client }) => client).filter((client) => client > 0)).size)
    assert.ok(
      Math.abs(found.averageMs - within.reduce((sum, { micros }) => sum + micros, 0) / within.length / 1000) < 1e-6,
    )
    const tally = (entries: typeof made) => (name: string) => entries.filter((entry) => entry.name === name).length
    assert.deepEqual(
      found.topDomains.map(({ domain, count }) => [domain, count]),
      found.topDomains.map(({ domain }) => [domain, tally(within)(domain)]),
    )
    assert.equal(found.topDomains[0]!.count, Math.max(...domains.map(tally(within))))
    assert.equal(found.topBlocked[0]!.count, Math.max(...domains.map(tally(blocked))))
    for (const { client, total, blocked: refused, name } of found.topClients) {
      assert.equal(total, within.filter((entry) => entry.client === client).length)
      assert.equal(refused, blocked.filter((entry) => entry.client === client).length)
      assert.equal(name, clients.find(({ number }) => number === client)?.name ?? null)
    }
    assert.equal(found.topClients.length, 4)
    assert.equal(
      found.types.reduce((sum, { count }) => sum + count, 0),
      within.length,
    )
    for (const { time, total, blocked: refused } of found.series) {
      assert.equal(total, within.filter(({ at }) => at >= time && at < time + width).length)
      assert.equal(refused, blocked.filter(({ at }) => at >= time && at < time + width).length)
    }
  }
})

test('a rule preview shows what it would have changed in the last day, by peer', async () => {
  const rules = [
    { number: 0, action: 'block', domain: 'example', belowOnly: false, client: 0 },
    { number: 1, action: 'allow', domain: 'cdn.b.example', belowOnly: false, client: 1 },
  ] as const
  const day = made.filter(({ at }) => at >= now - 24 * hour && at <= now)
  const byHand = (rule: PreviewedRule) =>
    day.filter(({ name, client, status, reason, source, traits }) => {
      const isAbout = name.endsWith(`.${rule.domain}`) || (!rule.belowOnly && name === rule.domain)
      if (!isAbout || (rule.client !== 0 && client !== rule.client) || (status === 1) === (rule.action === 'block'))
        return false
      const decider = reason === Reason.rule ? rules.find(({ number }) => number === source) : undefined
      if (decider === undefined || (traits & Trait.cname) !== 0) return true
      if ((decider.client === 0) !== (rule.client === 0)) return rule.client !== 0
      const [labels, others] = [rule.domain.split('.').length, decider.domain.split('.').length]
      return labels === others ? rule.action === 'allow' : labels > others
    })
  for (const rule of [
    { action: 'allow', domain: 'a.example', belowOnly: false, client: 0 },
    { action: 'block', domain: 'ads.net', belowOnly: true, client: 0 },
    { action: 'block', domain: 'example', belowOnly: false, client: 2 },
    { action: 'allow', domain: 'net', belowOnly: false, client: 70_000 },
    { action: 'block', domain: 's.net', belowOnly: false, client: 0 },
  ] as const) {
    const { changed, clients: found } = await log.preview({ rule, rules: [...rules] })
    const right = byHand(rule)
    assert.equal(changed, right.length)
    for (const { client, changed } of found) {
      assert.equal(changed, right.filter((entry) => entry.client === client).length)
    }
  }
})

test('rules have their hit counts and last hit', async () => {
  const hits = await log.ruleHits()
  for (const rule of [0, 1, 2]) {
    const right = made.filter(({ reason, source }) => reason === Reason.rule && source === rule)
    const lastAt = Math.max(...right.map(({ at }) => at))
    assert.deepEqual({ ...hits.get(rule) }, { rule, hits: right.length, lastAt })
  }
})

test('entries written while reading are visible at once; a missing log is empty', async () => {
  const file = join(folder.path, 'growing.db')
  const growing = new QueryLog({ file, clock: systemClock })
  assert.deepEqual(await growing.list({}, { limit: 10, offset: 0 }), { rows: [], total: 0 })
  assert.equal((await growing.statistics(24, 'hour')).series.length, 24)
  const first = createTestLog(file)
  const ask = async (domain: string) => (await growing.list({ domain }, { limit: 10, offset: 0 })).total
  for (let n = 1; n <= 3; n++) {
    first.log({ name: 'growing.example' }, { name: `new-${n}.example` })
    assert.equal(await ask('growing'), n)
    assert.equal(await ask('new-'), n)
  }
  for (let n = 0; n < 20; n++) first.log(...Array.from({ length: 1000 }, () => ({ name: 'growing.example' })))
  assert.equal(await ask('growing'), 20_003)
  first.purge({ before: Infinity, client: null })
  assert.equal(await ask('growing'), 0)
  first.log({ name: 'after.example' })
  assert.equal(await ask('growing'), 0)
  assert.equal(await ask('after'), 1)
  // Another file takes its place.
  first.writer.close()
  await Promise.all(['', '-wal', '-shm'].map((end) => rm(file + end, { force: true })))
  const second = createTestLog(file)
  second.log({ name: 'second.example' }, { name: 'second.example' })
  assert.equal(await ask('second'), 2)
  assert.equal(await ask('after'), 0)
  second.writer.close()
  await growing.close()
})

test('an open log does not keep the process alive', async () => {
  const program = join(folder.path, 'reads-once.mjs')
  await writeFile(
    program,
    `import { QueryLog } from ${JSON.stringify(new URL('./query-log.ts', import.meta.url).href)}
     const clock = { now: Date.now, monotonic: () => performance.now() }
     const log = new QueryLog({ file: process.argv[2], clock })
     process.stdout.write(String((await log.list({}, { limit: 1, offset: 0 })).total))`,
  )
  const file = join(folder.path, 'query-log.db')
  const { stdout } = await promisify(execFile)(process.execPath, [program, file], { timeout: 20_000 })
  assert.equal(stdout, String(count))
})

test('excess waiting queries are rejected, a slow one times out, and the next one succeeds', async () => {
  const file = join(folder.path, 'query-log.db')
  const narrow = new QueryLog({ file, clock: systemClock, limits: { waiting: 3, answerMs: 10_000 } })
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => narrow.list({}, { limit: 1, offset: 0 })))
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 4)
  assert.ok(
    answers.every((each) => each.status === 'fulfilled' || (each.reason as QueryLogUnavailable).reason === 'busy'),
  )
  await narrow.close()
  await assert.rejects(narrow.list({}, { limit: 1, offset: 0 }), { reason: 'closed' })
  const hasty = new QueryLog({ file, clock: systemClock, limits: { answerMs: 1 } })
  await assert.rejects(hasty.list({}, { limit: 1, offset: 0 }), { reason: 'slow' })
  await hasty.close()
})
