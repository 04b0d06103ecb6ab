import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { createHostIndex } from '../src/sites/domains.ts'
import { Traffic } from '../src/traffic/traffic.ts'
import { caddyObstacle, startObservedCaddy } from './observed-caddy.ts'

const index = createHostIndex([
  ['a.test', 1],
  ['*.wild.test', 2],
])

/** Asks many times, several at once; lines are long so that the log is rolled often. */
async function ask(port: number, host: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const headers = { host, 'user-agent': 'x'.repeat(4000), authorization: 'Bearer secret' }
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, path: '/page?token=secret', headers, agent }, (answer) => {
        answer.resume()
        answer.on('end', resolve)
      })
      request.on('error', reject)
    })
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < times / 8; count += 1) await once()
    }),
  )
  agent.destroy()
}

test(
  'no line of a rotated and compressed log is lost or counted twice while reading',
  { skip: caddyObstacle() },
  async () => {
    await using caddy = await startObservedCaddy([{ handle: [{ handler: 'static_response', body: 'hello' }] }])
    const database = openDatabase<Tables>({ file: ':memory:' })
    await migrate(database.query, migrations)
    const open = async () => {
      const traffic = new Traffic({
        db: database.query,
        timers: systemTimers,
        log: createLog({ name: 'test', level: 'silent' }),
        siteOf: (host) => index.siteOf(host),
        onRequest: () => undefined,
        pollMs: 10,
        flushMs: 50,
      })
      await traffic.start(caddy.logFile)
      return traffic
    }
    const first = await open()
    await ask(caddy.httpPort, 'a.test', 800)
    await first.close()
    // Nobody reads: what is rolled now is packed before it is read.
    await ask(caddy.httpPort, 'b.wild.test:80', 1200)
    await eventually(
      () => readdir(dirname(caddy.logFile)),
      (names) => names.filter((name) => name.endsWith('.gz')).length > 4,
    )
    const second = await open()
    await ask(caddy.httpPort, 'a.test', 800)
    await ask(caddy.httpPort, 'stranger.test', 80)
    const overview = await eventually(
      () => second.overview('24h'),
      ({ totals }) => totals.requests >= 2880,
    )
    assert.equal(overview.totals.requests, 2880)
    assert.deepEqual(
      overview.sites.map(({ site_id: id, totals }) => [id, totals.requests, totals.status['2xx']]),
      [
        [1, 1600, 1600],
        [2, 1200, 1200],
      ],
    )
    assert.equal(overview.elsewhere.requests, 80)
    const { top_paths: topPaths } = await second.site(1, '1h')
    // The first reader may have left the last lines to the second.
    assert.ok(topPaths.length === 1 && topPaths[0]?.key === '/page' && topPaths[0].count >= 800)
    await second.close()
    await database.close()
  },
)

test('a reader killed midway counts every line once', { skip: caddyObstacle(), timeout: 60_000 }, async () => {
  await using caddy = await startObservedCaddy([{ handle: [{ handler: 'static_response', body: 'hello' }] }])
  await using folder = await temporaryDirectory('reader')
  const file = join(folder.path, 'sites.db')
  const reading = async () => {
    const database = openDatabase<Tables>({ file })
    await migrate(database.query, migrations)
    const traffic = new Traffic({
      db: database.query,
      timers: systemTimers,
      log: createLog({ name: 'test', level: 'silent' }),
      siteOf: () => 1,
      onRequest: () => undefined,
      pollMs: 10,
    })
    await traffic.start(caddy.logFile)
    return { traffic, close: () => traffic.close().then(() => database.close()) }
  }
  // Where the first one begins is known from then on.
  await (await reading()).close()
  for (const until of [150, 50, 300])
    await Promise.all([ask(caddy.httpPort, 'a.test', 800), readAndKill(file, { logFile: caddy.logFile, until })])
  const last = await reading()
  const { totals } = await eventually(
    () => last.traffic.overview('24h'),
    (overview) => overview.totals.requests >= 2400,
  )
  assert.equal(totals.requests, 2400)
  await last.close()
})

/** Has a process of its own read until it has seen so many requests, and ends it without a word. */
async function readAndKill(file: string, { logFile, until }: { logFile: string; until: number }): Promise<void> {
  const script = join(import.meta.dirname, 'traffic-reader.ts')
  const child = spawn(process.execPath, [script, file, logFile], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) if (Number(line) >= until) break
  child.kill('SIGKILL')
  await ended
}
