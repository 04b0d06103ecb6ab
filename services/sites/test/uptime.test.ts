import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle, runCommand, temporaryDirectory } from '@hearth/testing'
import type { CheckResult, SiteUptimeDetail, UptimeOverview } from '../src/uptime/schema.ts'
import { startSites } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite } from './served.ts'
import { detailOf, reach } from './site-uptime.ts'

const skip = caddyObstacle() ?? false
const check = { interval_seconds: 60, failures: 2 }

/** A program behind a site that answers as it is told. */
async function startProgram(listener: RequestListener, port = 0) {
  const server: Server = createServer((request, response) => program.listener(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const program = {
    listener,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return program
}

/** Time of all days: midnight may come at any moment. */
const secondsOf = ({ days }: SiteUptimeDetail, kind: 'up' | 'down' | 'maintenance'): number =>
  days.reduce((sum, day) => sum + day[`${kind}_seconds`], 0)

const databases = [
  { name: 'SQLite', environment: () => Promise.resolve({}), skip },
  {
    name: 'PostgreSQL',
    environment: async () => ({ DATABASE_URL: await createPostgresDatabase() }),
    skip: caddyObstacle() ?? postgresObstacle(),
  },
]
for (const { name, environment, skip } of databases)
  test(`a site goes up, down and up again through Caddy, across a restart, on ${name}`, { skip }, async () => {
    await using program = await startProgram((_, response) => response.end('ok'))
    await using sites = await startSites(await environment(), { caddy: true, timers: createFastTimers(20) })
    const admin = await sites.signIn()
    const { id } = await makeSite(admin, {
      site_name: 'Wiki',
      domains: ['wiki.internal'],
      tls: { mode: 'internal' },
      upstreams: [{ url: program.url }],
      check,
    })
    const up = await reach(admin, id, 'up')
    assert.match(up.asked ?? '', /^GET https:\/\/wiki\.internal\/ from Caddy at 127\.0\.0\.1:\d+$/)
    assert.deepEqual([up.failure, up.incidents, up.off_reason], [null, [], null])
    assert.ok(Number(up.latency_ms) > 0)
    await eventually(
      () => detailOf(admin, id),
      (detail) => secondsOf(detail, 'up') > 60,
      { seconds: 60 },
    )
    program.listener = (_, response) => response.writeHead(500).end('broken')
    const down = await reach(admin, id, 'down')
    assert.equal(down.failure?.kind, 'status')
    assert.match(down.failure?.came_back ?? '', /^500 Internal Server Error after/)
    assert.equal(down.incidents.length, 1)
    assert.equal(down.incidents[0]?.ended_at, null)
    assert.deepEqual(
      down.upstreams.map(({ address, state }) => [address, state]),
      [[program.url.slice('http://'.length), 'up']],
    )
    await sites.restart()
    const again = await sites.signIn()
    assert.equal((await detailOf(again, id)).state, 'down')
    program.listener = (_, response) => response.end('ok')
    const back = await reach(again, id, 'up')
    assert.equal(back.incidents.length, 1)
    assert.notEqual(back.incidents[0]?.ended_at, null)
    assert.ok(back.incidents[0]!.lasted_seconds > 0)
    assert.ok(secondsOf(back, 'up') > 60 && secondsOf(back, 'down') > 0)
    const { body } = await again.json<UptimeOverview>('GET', '/api/v1/uptime')
    assert.deepEqual([body.counts.up, body.total, body.sites[0]?.site_name], [1, 1, 'Wiki'])
    // A backup has all of it.
    if (name !== 'SQLite') return
    await using copy = await temporaryDirectory('copy')
    const file = join(copy.path, 'backup')
    const secret = { SECRET_KEY_FILE: join(sites.folder, 'secret.key') }
    assert.equal((await runCommand(['sites', 'backup', file], { DATA_DIR: sites.folder })).code, 0)
    const there = { DATA_DIR: join(copy.path, 'data'), ...secret }
    assert.equal((await runCommand(['sites', 'restore', file], there)).code, 0)
    const { stdout } = await runCommand(['sites', 'status', '--json'], there)
    const [restored] = JSON.parse(stdout) as { site_name: string; uptime_30_days: number }[]
    assert.equal(restored?.site_name, 'Wiki')
    assert.ok(restored.uptime_30_days > 0 && restored.uptime_30_days < 1, stdout)
  })

test('a check says what was asked, what came back and what to do', { skip }, async () => {
  const seen: string[] = []
  await using other = await startProgram((_, response) => void (seen.push('other'), response.end()))
  await using program = await startProgram((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `${other.url}/` }).end()
    else if (request.url === '/inside') response.writeHead(302, { location: '/there' }).end()
    else if (request.url === '/there') response.end('the right page')
    else if (request.url === '/missing') response.writeHead(404).end()
    else response.end('hello')
  })
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const site = { tls: { mode: 'off' }, upstreams: [{ url: program.url }] }
  const { id } = await makeSite(admin, { ...site, site_name: 'A', domains: ['a.test'] })
  const result = async (members: object): Promise<CheckResult> => {
    const patched = await admin.json('PATCH', `/api/sites/${id}`, { json: { check: members } })
    assert.equal(patched.status, 200, JSON.stringify(patched.body))
    return eventually(
      async () => (await admin.json<CheckResult>('POST', `/api/v1/sites/${id}/check`)).body,
      ({ asked }) => asked.includes((members as { path?: string }).path ?? '/'),
    )
  }
  assert.equal((await result({})).is_good, true)
  const missing = await result({ path: '/missing', expected_status: '200-399' })
  assert.deepEqual([missing.is_good, missing.came_back.startsWith('404 Not Found')], [false, true])
  assert.match(missing.advice, /another path/)
  const text = await result({ path: '/there', expected_text: 'wrong page' })
  assert.match(text.came_back, /without the expected text/)
  assert.equal((await result({ path: '/inside', expected_text: 'right page', follow_redirects: true })).is_good, true)
  const away = await result({ path: '/away', follow_redirects: true })
  assert.deepEqual([away.is_good, away.came_back.startsWith('302 Found'), seen], [true, true, []])
})

test('certificates are judged: a name that Caddy has none for, and one that nobody trusts', { skip }, async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const answer = { kind: 'respond', respond: { body: 'ok' } }
  const { id } = await makeSite(admin, {
    ...answer,
    site_name: 'A',
    domains: ['a.internal'],
    tls: { mode: 'internal' },
  })
  const checked = () => admin.json<CheckResult>('POST', `/api/v1/sites/${id}/check`)
  await eventually(checked, ({ body }) => body.is_good)
  // Caddy's own authority is no public one.
  const json = { tls: { mode: 'auto', acme_ca: 'https://127.0.0.1:9/directory' }, domains: ['b.hearth.example.dev'] }
  const patched = await admin.json('PATCH', `/api/sites/${id}`, { json })
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  const refused = await eventually(checked, ({ body }) => !body.is_good && body.asked.includes('b.hearth.example.dev'))
  assert.match(refused.body.came_back, /refused the TLS handshake/)
})

test('sites in a maintenance window are not checked, and nobody else may plan one', { skip }, async () => {
  let requests = 0
  await using program = await startProgram((_, response) => {
    requests += 1
    response.end()
  })
  await using sites = await startSites({}, { caddy: true, timers: createFastTimers(20) })
  const admin = await sites.signIn()
  await sites.addUser('grace', 'user')
  const path = '/api/v1/maintenance-windows'
  const now = Date.now()
  const json = {
    name: 'Move',
    starts_at: new Date(now - 60_000).toISOString(),
    ends_at: new Date(now + 86_400_000).toISOString(),
  }
  const user = await sites.signInAs('grace')
  assert.equal((await user.json('POST', path, { json })).status, 403)
  const created = await admin.json<{ id: string; is_active: boolean }>('POST', path, { json })
  assert.deepEqual([created.status, created.body.is_active], [201, true])
  const site = { tls: { mode: 'off' }, upstreams: [{ url: program.url }] }
  const { id } = await makeSite(admin, { ...site, site_name: 'A', domains: ['a.test'], check })
  const paused = await eventually(
    () => detailOf(admin, id),
    (detail) => secondsOf(detail, 'maintenance') > 60,
    { seconds: 60 },
  )
  assert.deepEqual([paused.state, secondsOf(paused, 'up')], ['maintenance', 0])
  // One request is the check after the edit.
  assert.ok(requests <= 1, String(requests))
  assert.equal((await admin.json('DELETE', `${path}/${created.body.id}`)).status, 200)
  await reach(admin, id, 'up')
  for (const [wrong, field] of [
    [{ ends_at: json.starts_at }, 'ends_at'],
    [{ time_zone: 'Moon/Sea' }, 'time_zone'],
    [{ repeats: 'weekly', ends_at: new Date(now + 8 * 86_400_000).toISOString() }, 'ends_at'],
  ] as const) {
    const { status, body } = await admin.json<{ errors: { field: string }[] }>('POST', path, {
      json: { ...json, ...wrong },
    })
    assert.deepEqual([status, body.errors[0]?.field], [422, field])
  }
})
