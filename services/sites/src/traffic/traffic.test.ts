import assert from 'node:assert/strict'
import { appendFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '@hearth/database'
import { createLog, systemTimers, type Timers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import type { Tables } from '../tables.ts'
import { createHostIndex } from '../sites/domains.ts'
import { Traffic } from './traffic.ts'

const minute = 60_000
const now = Date.parse('2026-11-19T12:34:56Z')

const index = createHostIndex([
  ['a.example', 1],
  ['*.example', 2],
])

interface Asked {
  readonly at?: number
  readonly host?: string
  readonly status?: number
  readonly duration?: number
  readonly uri?: string
  readonly client?: string
}

const line = ({
  at = now,
  host = 'a.example',
  status = 200,
  duration = 0.01,
  uri = '/',
  client = '192.0.2.1',
}: Asked) =>
  `${JSON.stringify({
    ts: at / 1000,
    request: { remote_ip: client, method: 'GET', host, uri },
    duration,
    size: 100,
    status,
  })}\n`

async function openTraffic(database: Database<Tables>) {
  const folder = await temporaryDirectory('traffic')
  const path = join(folder.path, 'access.log')
  const moved = { by: 0 }
  const timers: Timers = { ...systemTimers, now: () => now + moved.by, after: () => () => undefined }
  const parts = {
    db: database.query,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    siteOf: (host: string) => index.siteOf(host),
    onRequest: () => undefined,
  }
  const open = async () => {
    const traffic = new Traffic(parts)
    await traffic.start(path)
    return traffic
  }
  await database.query.deleteFrom('traffic_counts').execute()
  await database.query.deleteFrom('traffic_last_seen').execute()
  return {
    open,
    moved,
    ask: async (...asked: Asked[]) => appendFile(path, asked.map(line).join('')),
    roll: () => rename(path, join(folder.path, 'access-2026-11-19T12-34-56.000.log')),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

onBothDatabases(async (database, name) => {
  await test(`${name}: requests are counted by site, minute and hour`, async () => {
    await using log = await openTraffic(database)
    await log.ask({}, { status: 404 }, { host: 'b.example', status: 502, duration: 2 }, { host: 'stranger.test' })
    await log.ask({ at: now - 5 * minute }, { at: now - 90 * minute })
    const traffic = await log.open()
    await traffic.catchUp()
    const hour = await traffic.overview('1h')
    const status = { '1xx': 0, '2xx': 3, '3xx': 0, '4xx': 1, '5xx': 1 }
    assert.deepEqual([hour.totals.requests, hour.totals.bytes, hour.totals.status], [5, 500, status])
    assert.equal(hour.elsewhere.requests, 1)
    assert.deepEqual([hour.points.length, hour.points.at(-1)?.requests, hour.points.at(-6)?.requests], [60, 4, 1])
    assert.deepEqual(
      hour.sites.map(({ site_id, totals, last_seen }) => [site_id, totals.requests, last_seen]),
      [
        [1, 3, new Date(now).toISOString()],
        [2, 1, new Date(now).toISOString()],
      ],
    )
    const slow = await traffic.site(2, '1h')
    assert.ok(slow.totals.p50_ms! > 1500 && slow.totals.p50_ms! <= 2000)
    const daily = await traffic.site(1, '24h')
    assert.deepEqual([daily.totals.requests, daily.points.length, daily.points.at(-1)?.requests], [4, 24, 3])
    assert.equal((await traffic.site(3, '24h')).totals.requests, 0)
    await traffic.close()
  })

  await test(`${name}: top paths and clients are counted, without query strings`, async () => {
    await using log = await openTraffic(database)
    await log.ask({ uri: '/a?token=1' }, { uri: '/a?token=2', client: '192.0.2.2' }, { uri: '/b' })
    const traffic = await log.open()
    await traffic.catchUp()
    const { top_paths: topPaths, top_clients: topClients } = await traffic.site(1, '1h')
    assert.deepEqual(topPaths, [
      { key: '/a', count: 2, error: 0 },
      { key: '/b', count: 1, error: 0 },
    ])
    assert.deepEqual(
      topClients.map(({ key, count }) => `${key} ${count}`),
      ['192.0.2.1 2', '192.0.2.2 1'],
    )
    await traffic.close()
  })

  await test(`${name}: a restart or crash counts nothing twice, also across a rotation`, async () => {
    await using log = await openTraffic(database)
    await log.ask({}, {})
    const first = await log.open()
    await first.catchUp()
    await log.ask({})
    await first.close()
    // This one reads, and ends without having written anything down.
    await database.query.schema.alterTable('traffic_last_seen').renameTo('away').execute()
    const crashed = await log.open()
    await crashed.catchUp()
    await crashed.close()
    await database.query.schema.alterTable('away').renameTo('traffic_last_seen').execute()
    await log.roll()
    await log.ask({}, {})
    const second = await log.open()
    await second.catchUp()
    assert.equal((await second.overview('1h')).totals.requests, 5)
    await second.close()
    const third = await log.open()
    await third.catchUp()
    assert.equal((await third.overview('30d')).totals.requests, 5)
    assert.deepEqual(await third.lastSeen(), { sites: [{ site_id: 1, last_seen: new Date(now).toISOString() }] })
    await third.close()
  })

  await test(`${name}: counts that cannot be written are kept and written later`, async () => {
    await using log = await openTraffic(database)
    await log.ask({}, {})
    const traffic = await log.open()
    await database.query.schema.alterTable('traffic_last_seen').renameTo('away').execute()
    await traffic.catchUp()
    await log.ask({})
    await database.query.schema.alterTable('away').renameTo('traffic_last_seen').execute()
    await traffic.catchUp()
    assert.equal((await traffic.overview('1h')).totals.requests, 3)
    await traffic.close()
  })
})

test('a wildcard matches one label, and an exact name takes precedence', () => {
  assert.deepEqual(
    ['a.example', 'b.example', 'c.b.example', 'example', 'localhost'].map((host) => index.siteOf(host)),
    [1, 2, undefined, undefined, undefined],
  )
})
