import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAddressSet, createServer } from '@hearth/http'
import { createLog, systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { about } from '../about.ts'
import { toError } from '../problems.ts'
import { Reason, Trait } from '../dns/policy/verdict.ts'
import { cellOf } from './query-view.ts'
import { QueryLog } from './query-log.ts'
import { queryLogRoutes } from './routes.ts'
import { createTestLog } from '../../test/query-log-fixture.ts'

const now = Date.parse('2026-11-21T12:30:00.250Z')

/** The routes on their own server, over a log a test fills; the caller's role stands in a header. */
async function startRoutes() {
  const folder = await temporaryDirectory('query-log')
  const file = join(folder.path, 'query-log.db')
  const written = createTestLog(file)
  written.writer.useClients([
    { number: 1, id: 'id-1', name: 'Old name', addresses: ['10.0.0.2'] },
    { number: 2, id: 'id-2', name: 'Gone', addresses: ['10.0.0.3'] },
  ])
  const log = new QueryLog({ file, clock: { ...systemClock, now: () => now } })
  const routes = queryLogRoutes(log, {
    names: {
      client: (number) => (number === 1 ? { id: 'id-1', name: 'Laptop', ip: '10.0.0.2' } : undefined),
      list: (number) => (number === 4 ? { id: 'list-4', name: 'Ads' } : undefined),
      rule: (number) => (number === 9 ? { text: 'block ads.example' } : undefined),
    },
    resolverStatus: () => ({
      is_running: true,
      reason: null,
      blocklist_size: 5,
      blocklist_updated_at: new Date(now - 1000).toISOString(),
    }),
    purge: async (before, client) => void written.purge({ before, client }),
    now: () => now,
  })
  const app = await createServer({
    routes,
    about,
    guard: async ({ request }) => ({ userId: 'u', username: 'u', role: request.headers['x-role'] ?? 'admin' }),
    toError,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: folder.path,
  })
  const call = async (method: 'GET' | 'POST', url: string, options: { body?: object; role?: string } = {}) => {
    const { body, role = 'admin' } = options
    const reply = await app.inject({
      method,
      url,
      headers: { 'x-role': role },
      ...(body === undefined ? {} : { body }),
    })
    return { status: reply.statusCode, text: reply.body, headers: reply.headers }
  }
  return {
    ...written,
    call,
    async [Symbol.asyncDispose]() {
      await app.close()
      await log.close()
      written.writer.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const dataOf = (reply: { text: string }) => (JSON.parse(reply.text) as { data: never }).data as unknown

test('a query is shown with current names, and types and codes as text', async () => {
  await using service = await startRoutes()
  service.log(
    {
      client: 2,
      at: now - 3000,
      name: 'ads.example',
      status: 1,
      reason: Reason.rule,
      source: 9,
      upstream: 0,
      micros: 40,
    },
    {
      client: 1,
      at: now - 2000,
      name: 'x.ads.net',
      status: 1,
      reason: Reason.list,
      source: 4,
      type: 65,
      traits: Trait.cname,
    },
    { client: 0, at: now - 1000, name: 'a.example', rcode: 3, type: 4711, traits: Trait.cached },
  )
  const reply = await service.call('GET', '/api/dns/queries?limit=2')
  const { success, data, ...page } = JSON.parse(reply.text)
  assert.equal(success, true)
  assert.deepEqual(page, { total: 3, limit: 2, offset: 0 })
  assert.deepEqual(
    data.map(({ id, ...rest }: { id: number }) => (assert.ok(id > 0), rest)),
    [
      {
        timestamp: '2026-11-21T12:29:59.250Z',
        client: null,
        client_id: null,
        client_ip: null,
        domain: 'a.example',
        type: 'TYPE4711',
        status: 'allowed',
        reason: 'none',
        rule: null,
        list_id: null,
        list: null,
        modifiers: [],
        rcode: 'NXDOMAIN',
        cached: true,
        cname: false,
        upstream: null,
        duration_ms: 1.5,
      },
      {
        timestamp: '2026-11-21T12:29:58.250Z',
        client: 'Laptop',
        client_id: 'id-1',
        client_ip: '10.0.0.2',
        domain: 'x.ads.net',
        type: 'HTTPS',
        status: 'blocked',
        reason: 'list',
        rule: null,
        list_id: 'list-4',
        list: 'Ads',
        modifiers: [],
        rcode: 'NOERROR',
        cached: false,
        cname: true,
        upstream: null,
        duration_ms: 1.5,
      },
    ],
  )
  const rest = await service.call('GET', `/api/dns/queries?before=${data[1].id}`)
  const [last] = dataOf(rest) as { client: string; rule: string }[]
  assert.deepEqual([last?.client, last?.rule], ['Gone', 'block ads.example'])
  for (const [query, total] of [
    ['client=gone', 1],
    ['domain=ADS', 2],
    ['status=blocked&type=https', 1],
    ['reason=rule', 1],
    ['start=2026-11-21T12:29:58.250Z&end=2026-11-21T12:29:59.250Z', 1],
    ['client=nobody', 0],
  ]) {
    assert.equal(JSON.parse((await service.call('GET', `/api/dns/queries?${query}`)).text).total, total, String(query))
  }
  for (const query of ['status=maybe', 'type=NOTYPE', 'limit=101', 'start=yesterday', 'unknown=1', 'before=-1']) {
    assert.equal((await service.call('GET', `/api/dns/queries?${query}`)).status, 400, query)
  }
})

test('everyone sees query totals; only administrators see domains and clients', async () => {
  await using service = await startRoutes()
  service.log(
    ...Array.from({ length: 8 }, (_, n) => ({
      at: now - n * 1000,
      status: n < 2 ? 1 : 0,
      traits: n > 4 ? Trait.cached : 0,
      name: `n${n % 3}.example`,
      client: 2,
    })),
  )
  const all = dataOf(await service.call('GET', '/api/dns/stats')) as Record<string, unknown>
  assert.equal(all['total_queries'], 8)
  assert.equal(all['blocked_queries'], 2)
  assert.equal(all['block_percentage'], 25)
  assert.equal(all['cache_hit_percentage'], 50)
  assert.equal(all['unique_domains'], 3)
  assert.equal(all['blocklist_updated_at'], '2026-11-21T12:29:59.250Z')
  assert.deepEqual(all['top_clients'], [{ client: 'Gone', total: 8, blocked: 2 }])
  assert.deepEqual(all['query_types'], { A: 8 })
  assert.equal((all['series'] as unknown[]).length, 24)
  assert.deepEqual((all['series'] as unknown[]).at(-1), { time: '2026-11-21T12:00:00.000Z', total: 8, blocked: 2 })
  const few = dataOf(await service.call('GET', '/api/dns/stats', { role: 'user' })) as Record<string, unknown>
  assert.equal(few['total_queries'], 8)
  assert.deepEqual([few['top_domains'], few['top_blocked'], few['top_clients']], [[], [], []])
  const month = dataOf(await service.call('GET', '/api/dns/stats?hours=720')) as { series: unknown[] }
  assert.equal(month.series.length, 30)
  assert.equal((await service.call('GET', '/api/dns/stats?hours=721')).status, 400)
})

test('the export contains the filtered entries and no formulas', async () => {
  await using service = await startRoutes()
  service.log({ at: now, name: '=cmd.example' }, { at: now, name: 'b.example', client: 2 })
  for (let n = 0; n < 11; n++) service.log(...Array.from({ length: 1000 }, () => ({ name: 'many.example' })))
  const few = await service.call('GET', '/api/dns/queries/export?domain=cmd')
  assert.match(String(few.headers['content-type']), /^text\/csv/)
  const [heading, row, end] = few.text.split('\r\n')
  assert.match(heading ?? '', /^timestamp,client,/)
  assert.match(row ?? '', /^2026-11-21T12:30:00\.250Z,Laptop,10\.0\.0\.2,'=cmd\.example,A,allowed,none,,,NOERROR,/)
  assert.equal(end, '')
  const many = await service.call('GET', '/api/dns/queries/export')
  assert.equal(many.text.split('\r\n').length, 10_002)
})

test('a cell is never read as a formula or as several cells', () => {
  for (const text of ['=1', '+1', '-1', '@a', '\t=1', ' =1', '\r=1']) assert.ok(/^"?'/.test(cellOf(text)), text)
  assert.equal(cellOf('a "b", c'), '"a ""b"", c"')
  assert.equal(cellOf(-5), '-5')
  assert.equal(cellOf(null), '')
})

test('a purge forgets one peer’s queries, or everyone’s before a time; a peer nobody knows is an error', async () => {
  await using service = await startRoutes()
  const total = async () => JSON.parse((await service.call('GET', '/api/dns/queries?limit=1')).text).total as number
  service.log({ client: 1, at: now - 5000 }, { client: 2, at: now - 4000 }, { client: 1, at: now + 60_000 })
  const purge = (body: object) => service.call('POST', '/api/dns/queries/purge', { body })
  assert.equal((await purge({ client: 'nobody' })).status, 422)
  assert.equal((await purge({ surplus: 1 })).status, 422)
  assert.equal((await purge({ client: 'Gone' })).status, 200)
  assert.equal(await total(), 2)
  assert.equal((await purge({ before: new Date(now).toISOString() })).status, 200)
  assert.equal(await total(), 1)
  assert.equal((await purge({})).status, 200)
  assert.equal(await total(), 0)
})
