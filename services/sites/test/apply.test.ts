import assert from 'node:assert/strict'
import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { Revision } from '../src/deploy/schema.ts'
import { startSites, testPassword, type Sites } from './in-process.ts'
import { portReopened } from './reopened-port.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const start = () => startSites({}, { caddy: true })

/** A site our rules let in and Caddy does not: its expression is compiled only when it is loaded. */
const refusedSite = (name: string) => ({
  site_name: name,
  domains: [`${name}.test`],
  kind: 'raw',
  tls: { mode: 'off' },
  raw_directives: '@odd header_regexp X-Test ([\nrespond @odd hello',
})

const ready = async (sites: Sites) =>
  await eventually(
    async () => (await sites.browser().call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )

test('a site created over HTTP is served once the response arrives, and gone once it is deleted', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await ready(sites)
  const [port] = sites.caddyPorts
  const made = await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite('hello', 'Hello there') })
  assert.deepEqual([made.status, made.body.synced, made.body.site.apply_state], [201, true, 'applied'])
  const first = await askHost(port, 'hello.test')
  assert.deepEqual([first.status, first.text], [200, 'Hello there'])
  const { id } = made.body.site
  const changed = await admin.json('PATCH', `/api/sites/${id}`, { json: { respond: { body: 'Changed' } } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal((await askHost(port, 'hello.test')).text, 'Changed')
  assert.equal((await admin.call('DELETE', `/api/sites/${id}`)).status, 200)
  assert.equal((await askHost(port, 'hello.test')).status, 404)
})

test('a site that Caddy refuses is not stored, and the response contains Caddy’s message', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
  const kept = await makeSite(admin, { ...refusedSite('kept'), raw_directives: 'respond "as it was"' })
  assert.equal((await askHost(port, 'kept.test')).text, 'as it was')
  const bad = { raw_directives: refusedSite('kept').raw_directives }
  const refused = await admin.json<EditAnswer>('PATCH', `/api/sites/${kept.id}`, { json: bad })
  assert.deepEqual([refused.status, refused.body.code], [422, 'site_refused'])
  assert.match(refused.body.errors?.[0]?.caddy_error ?? '', /missing closing|error parsing regexp/)
  assert.equal(refused.body.errors?.[0]?.site_id, kept.id)
  const fresh = await admin.json<EditAnswer>('POST', '/api/sites', { json: refusedSite('fresh') })
  assert.equal(fresh.status, 422)
  const { body: list } = await admin.json<EditAnswer['site'][]>('GET', '/api/sites')
  assert.deepEqual(
    list.map(({ site_name: name, revision, apply_state: state }) => [name, revision, state]),
    [['kept', kept.revision, 'applied']],
  )
  assert.equal((await askHost(port, 'kept.test')).text, 'as it was')
})

test('among simultaneous sites the bad one is quarantined with Caddy’s message, and the others are served', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
  const bodies = [sayingSite('one', 'one'), refusedSite('bad'), sayingSite('two', 'two')]
  for (const json of bodies) assert.equal((await admin.call('POST', '/api/sites?wait=false', { json })).status, 201)
  const list = await eventually(
    async () => (await admin.json<EditAnswer['site'][]>('GET', '/api/sites')).body,
    (rows) => rows.every((site) => site.apply_state !== 'pending'),
  )
  assert.deepEqual(
    list.map((site) => [site.site_name, site.apply_state]),
    [
      ['bad', 'failed'],
      ['one', 'applied'],
      ['two', 'applied'],
    ],
  )
  assert.match(list[0]?.last_error ?? '', /regexp/)
  assert.deepEqual([(await askHost(port, 'one.test')).text, (await askHost(port, 'two.test')).text], ['one', 'two'])
  assert.equal((await askHost(port, 'bad.test')).status, 404)
  const mended = { raw_directives: 'respond mended' }
  assert.equal((await admin.call('PATCH', `/api/sites/${list[0]?.id}`, { json: mended })).status, 200)
  assert.equal((await askHost(port, 'bad.test')).text, 'mended')
})

test('fifty simultaneous edits cause at most three configuration changes', async () => {
  // Slow timers leave a busy machine ten times as long for what counts as simultaneous.
  await using sites = await startSites({}, { caddy: true, timers: createFastTimers(0.1) })
  const admin = await sites.signIn()
  await ready(sites)
  const before = (await admin.call('GET', '/api/revisions')).headers.get('x-total-count')
  await admin.csrf()
  const names = Array.from({ length: 50 }, (_, index) => `many-${index}`)
  const answers = await Promise.all(
    names.map((name) => admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite(name, name) })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  const after = (await admin.call('GET', '/api/revisions')).headers.get('x-total-count')
  assert.ok(Number(after) - Number(before) <= 3, `${Number(after) - Number(before)} changes`)
  assert.equal((await askHost(sites.caddyPorts[0], 'many-49.test')).text, 'many-49')
})

test('foreign changes are detected, shown, not overwritten, and reverted on request', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  const site = await makeSite(admin, sayingSite('mine', 'mine'))
  const node = await sites.service.app.deploy.nodes.get(1)
  assert.ok(node !== undefined)
  const { config, etag } = await node.client.readConfig()
  const foreign = JSON.parse(JSON.stringify(config).replace('"body":"mine"', '"body":"foreign"')) as object
  assert.equal((await node.client.replaceConfig(foreign, etag)).kind, 'accepted')
  const drift = await admin.json<{ changes: { path: string; before: unknown; after: unknown }[] }[]>(
    'GET',
    '/api/caddy/drift',
  )
  assert.equal(drift.body.length, 1)
  const words = drift.body[0]?.changes.map(({ before, after }) => [before, after])
  assert.ok(
    words?.some(([before, after]) => before === 'mine' && after === 'foreign'),
    JSON.stringify(words),
  )
  const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'next' } } })
  assert.deepEqual([edit.status, edit.body.code], [409, 'drift'])
  assert.equal((await askHost(port, 'mine.test')).text, 'foreign')
  assert.equal((await admin.call('GET', '/api/v1/ready')).status, 503)
  assert.equal((await admin.call('POST', '/api/caddy/drift/restore')).status, 200)
  assert.equal((await askHost(port, 'mine.test')).text, 'mine')
  assert.deepEqual((await admin.json('GET', '/api/caddy/drift')).body, [])
  assert.equal((await admin.call('GET', '/api/v1/ready')).status, 200)
})

test('foreign changes are adopted on request', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  const kept = await makeSite(admin, sayingSite('kept', 'kept'))
  const gone = await makeSite(admin, sayingSite('gone', 'gone'))
  const node = await sites.service.app.deploy.nodes.get(1)
  const { config } = (await node?.client.readConfig()) ?? {}
  const text = JSON.stringify(config)
    .replace('"body":"kept"', '"body":"theirs"')
    .replaceAll('"gone.test"', '"came.test"')
  await node?.client.replaceConfig(JSON.parse(text.replaceAll(`site-${gone.id}`, 'somebody')) as object, undefined)
  const { status, body } = await admin.json<Record<string, unknown>>('POST', '/api/caddy/drift/adopt')
  assert.deepEqual([status, body['changed'], body['added'], body['switched_off']], [200, 1, 1, 1], JSON.stringify(body))
  const { body: list } = await admin.json<EditAnswer['site'][]>('GET', '/api/sites')
  assert.deepEqual(
    list.map((site) => [site.site_name, site.enabled, site.respond?.body]),
    [
      ['came.test', true, 'gone'],
      ['gone', false, 'gone'],
      ['kept', true, 'theirs'],
    ],
  )
  assert.deepEqual(
    [(await askHost(port, 'kept.test')).text, (await askHost(port, 'came.test')).text],
    ['theirs', 'gone'],
  )
  assert.deepEqual((await admin.json('GET', '/api/caddy/drift')).body, [])
  assert.equal((await admin.json<EditAnswer['site']>('GET', `/api/sites/${kept.id}`)).body.revision, kept.revision + 1)
})

test('a killed Caddy serves everything again without intervention', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('back', 'back again'))
  const pid = Number(readFileSync(join(sites.folder, 'caddy/caddy.pid'), 'utf8'))
  process.kill(pid, 'SIGKILL')
  const served = await eventually(
    () => askHost(sites.caddyPorts[0], 'back.test'),
    ({ text }) => text === 'back again',
  )
  assert.equal(served.status, 200)
})

test('every change is a revision that can be inspected and restored', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const [port] = sites.caddyPorts
  await ready(sites)
  const one = await makeSite(admin, sayingSite('one', 'first'))
  const [then] = (await admin.json<Revision[]>('GET', '/api/revisions')).body
  assert.deepEqual(
    [then?.author, then?.cause, then?.outcome, then?.is_current],
    ['admin', 'site.created', 'applied', true],
  )
  assert.deepEqual(
    then?.sites.map(({ site_name: name, change }) => [name, change]),
    [['one', 'added']],
  )
  await admin.call('PATCH', `/api/sites/${one.id}`, { json: { respond: { body: 'second' } } })
  await makeSite(admin, sayingSite('two', 'two'))
  const path = `/api/revisions/${then?.id}`
  const diff = await admin.json<{ sites: { site_name: string; change: string }[] }>(
    'GET',
    `${path}/diff?against=current`,
  )
  assert.deepEqual(
    diff.body.sites.map(({ site_name: name, change }) => [name, change]),
    [
      ['one', 'changed'],
      ['two', 'removed'],
    ],
  )
  assert.equal((await admin.call('POST', `${path}/return`)).status, 200)
  assert.equal((await askHost(port, 'one.test')).text, 'first')
  assert.equal((await askHost(port, 'two.test')).status, 404)
  const [newest] = (await admin.json<Revision[]>('GET', '/api/revisions')).body
  assert.equal(newest?.cause, `return to ${then?.id}`)
  assert.equal((await admin.call('POST', `/api/revisions/${(newest?.id ?? 0) - 1}/return`)).status, 200)
  assert.equal((await askHost(port, 'two.test')).text, 'two')
  assert.equal((await askHost(port, 'one.test')).text, 'second')
})

test('a response in progress completes while the configuration changes', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  const gate = Promise.withResolvers<undefined>()
  const origin = createServer((_incoming, answer) => {
    answer.write('begin ')
    void gate.promise.then(() => answer.end('end'))
  })
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  const { port } = origin.address() as AddressInfo
  await makeSite(admin, {
    site_name: 'slow',
    domains: ['slow.test'],
    tls: { mode: 'off' },
    upstreams: [{ url: `http://127.0.0.1:${port}` }],
    timeouts: { flush: 'immediate' },
  })
  await portReopened(sites.caddyPorts[0])
  const outgoing = request({
    host: '127.0.0.1',
    port: sites.caddyPorts[0],
    headers: { host: 'slow.test' },
    agent: false,
  }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  answer.on('data', (part: Buffer) => (text += part.toString()))
  await makeSite(admin, sayingSite('other', 'other'))
  gate.resolve(undefined)
  await once(answer, 'end')
  assert.equal(text, 'begin end')
  origin.close()
})

test('after a restart the same sites are served, and an unchanged configuration is not sent', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('stays', 'stays'))
  await sites.restart()
  const served = await eventually(
    () => askHost(sites.caddyPorts[0], 'stays.test'),
    ({ status }) => status === 200,
  )
  assert.equal(served.text, 'stays')
  assert.equal((await (await sites.signInAs('admin', testPassword)).call('GET', '/api/v1/ready')).status, 200)
})

test('the last applied configuration is stored encrypted', async () => {
  await using sites = await start()
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('told', 'nobody is to read this'))
  const database = new DatabaseSync(join(sites.folder, 'sites.db'), { readOnly: true })
  const [stored] = database.prepare('select config from node_configs').all()
  database.close()
  assert.match(String(stored?.['config']), /^v1\./)
  assert.doesNotMatch(String(stored?.['config']), /nobody/)
})
