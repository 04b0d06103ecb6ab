import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Revision, SyncResult } from '../src/deploy/schema.ts'
import type { Node } from '../src/deploy/nodes/schema.ts'
import type { Site } from '../src/sites/schema.ts'
import { networkOfItsOwn } from './continuous-load/own-network.ts'
import { saying, startForeignCaddy, type ForeignCaddy } from './foreign-caddy.ts'
import { newCaddy, newCaddyObstacle } from './real-caddy.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

/** A service that manages the first Caddy, and further ones that were added and onboarded over HTTP. */
async function manage(first: ForeignCaddy, ...others: readonly ForeignCaddy[]) {
  await using cleanup = new AsyncDisposableStack()
  const sites = cleanup.use(await startSites(first.environment))
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  for (const [index, caddy] of others.entries()) await addNode(admin, `node-${index + 2}`, caddy)
  const resources = cleanup.move()
  return { sites, admin, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function addNode(admin: Browser, name: string, caddy: ForeignCaddy): Promise<Node> {
  const added = await admin.json<Node>('POST', '/api/nodes', { json: { name, ...caddy.asNode } })
  assert.deepEqual([added.status, added.body.state], [201, 'not_onboarded'], JSON.stringify(added.body))
  const onboarded = await admin.json<Node>('POST', `/api/nodes/${added.body.id}/onboard`, { json: {} })
  assert.deepEqual([onboarded.status, onboarded.body.state], [200, 'in_sync'], JSON.stringify(onboarded.body))
  return onboarded.body
}

const look = ({ service }: Sites) => service.app.deploy.drift.check()

const states = async (admin: Browser) =>
  (await admin.json<Node[]>('GET', '/api/nodes')).body.map(({ name, state }) => [name, state])

const readSite = async (admin: Browser, id: number) => (await admin.json<Site>('GET', `/api/sites/${id}`)).body

const textOf = async (caddy: ForeignCaddy, name: string) => (await askHost(caddy.httpPort, `${name}.test`)).text

test('all servers get the same sites; an added one gets the existing ones, a removed one keeps running', async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy({ admin: 'tcp' })
  await using three = await startForeignCaddy({ routes: [saying('old.test', 'old')] })
  await using place = await manage(one, two)
  const { admin } = place
  const site = await makeSite(admin, sayingSite('shared', 'first'))
  assert.deepEqual(site.applied_revisions, { caddy: 1, 'node-2': 1 })
  assert.deepEqual([await textOf(one, 'shared'), await textOf(two, 'shared')], ['first', 'first'])
  const { body: third } = await admin.json<Node>('POST', '/api/nodes', { json: { name: 'third', ...three.asNode } })
  const path = `/api/nodes/${third.id}`
  const early = await admin.json<{ code: string }>('POST', `${path}/onboard`, { json: {} })
  assert.deepEqual([early.status, early.body.code], [409, 'confirmation_required'])
  assert.equal(await textOf(three, 'old'), 'old')
  assert.equal((await admin.call('POST', `${path}/onboard`, { json: { confirm_exclusive: true } })).status, 200)
  assert.equal(await textOf(three, 'shared'), 'first')
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'second' } } })
  assert.equal((await admin.call('DELETE', path)).status, 200)
  assert.equal((await readSite(admin, site.id)).apply_state, 'applied')
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'third' } } })
  const texts = [await textOf(one, 'shared'), await textOf(two, 'shared'), await textOf(three, 'shared')]
  assert.deepEqual(texts, ['third', 'third', 'second'])
  const again = await admin.json<{ code: string }>('POST', '/api/nodes', { json: { name: 'twice', ...two.asNode } })
  assert.deepEqual([again.status, again.body.code], [409, 'admin_url_taken'])
})

test('a server that is down is reported with each edit and catches up on its return', async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy()
  await using place = await manage(one, two)
  const { admin, sites } = place
  const site = await makeSite(admin, sayingSite('shared', 'first'))
  await two.kill()
  const edit = await admin.json<EditAnswer & { sync_error: string }>('PATCH', `/api/sites/${site.id}`, {
    json: { respond: { body: 'second' } },
  })
  assert.deepEqual([edit.status, edit.body.sync_status], [200, 'synced'])
  assert.match(edit.body.sync_error, /^node-2: the admin endpoint cannot be reached/)
  const fresh = await makeSite(admin, sayingSite('fresh', 'fresh'))
  assert.deepEqual([fresh.apply_state, fresh.applied_revisions], ['pending', { caddy: 1 }])
  const { body: sync } = await admin.json<SyncResult>('POST', '/api/caddy/sync', { json: {} })
  assert.deepEqual([sync.status, sync.synced], ['partly', false])
  assert.match(sync.detail, /^node-2: the admin endpoint cannot be reached/)
  await look(sites)
  assert.deepEqual(await states(admin), [
    ['caddy', 'in_sync'],
    ['node-2', 'unreachable'],
  ])
  await two.start()
  await look(sites)
  await eventually(
    () => readSite(admin, fresh.id),
    (now) => now.apply_state === 'applied',
  )
  assert.deepEqual([await textOf(two, 'shared'), await textOf(two, 'fresh')], ['second', 'fresh'])
  assert.deepEqual((await states(admin))[1], ['node-2', 'in_sync'])
})

test('a server that missed a change and kept its configuration catches up too', async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy()
  await using place = await manage(one, two)
  const { admin, sites } = place
  const site = await makeSite(admin, sayingSite('shared', 'first'))
  const { config } = await two.client.readConfig()
  await two.kill()
  await admin.call('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'second' } } })
  await two.start()
  // As a Caddy that resumes what it ran, or whose network was away.
  assert.equal((await two.client.replaceConfig(config as object, undefined)).kind, 'accepted')
  await look(sites)
  await eventually(
    () => textOf(two, 'shared'),
    (text) => text === 'second',
  )
})

test(
  'a site refused by one server only is shown with that server’s message, and the others serve it',
  { skip: newCaddyObstacle() },
  async () => {
    await using one = await startForeignCaddy({ binary: newCaddy() })
    await using two = await startForeignCaddy()
    await using place = await manage(one, two)
    const { admin } = place
    await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
    const raw = { kind: 'raw', respond: null, raw_directives: 'respond "plain"' }
    const site = await makeSite(admin, { ...sayingSite('raw', ''), ...raw })
    // What the version of the second server has never heard of.
    const newer = 'reverse_proxy 127.0.0.1:9 {\n\tstream_close_delay 1m\n}'
    const edit = await admin.json<EditAnswer & { sync_error: string }>('PATCH', `/api/sites/${site.id}`, {
      json: { raw_directives: newer },
    })
    assert.equal(edit.status, 200, JSON.stringify(edit.body))
    assert.match(edit.body.sync_error, /^node-2 refused the site: .*stream_close_delay/)
    assert.deepEqual(edit.body.site.applied_revisions, { caddy: 2, 'node-2': 1 })
    assert.equal(edit.body.site.apply_state, 'failed')
    assert.match(edit.body.site.last_error ?? '', /stream_close_delay/)
    assert.equal((await askHost(one.httpPort, 'raw.test')).status, 502)
    assert.equal(await textOf(two, 'raw'), 'plain')
    const other = await makeSite(admin, sayingSite('other', 'other'))
    assert.deepEqual([other.apply_state, await textOf(two, 'other')], ['applied', 'other'])
    assert.deepEqual(await states(admin), [
      ['caddy', 'in_sync'],
      ['node-2', 'pending'],
    ])
  },
)

test('a change of a server that its Caddy refuses is not stored', async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy()
  await using place = await manage(one, two)
  const { admin } = place
  const site = await makeSite(admin, sayingSite('shared', 'first'))
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const broken = await admin.json<EditAnswer>('PATCH', '/api/nodes/2', { json: { http_port: port } })
  assert.deepEqual([broken.status, broken.body.code], [422, 'rejected'])
  assert.match(broken.body.errors?.[0]?.caddy_error ?? '', /address already in use/)
  const { body: node } = await admin.json<Node>('GET', '/api/nodes/2')
  assert.deepEqual([node.http_port, node.state], [two.httpPort, 'in_sync'])
  const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'second' } } })
  assert.deepEqual([edit.status, edit.body.site.applied_revisions], [200, { caddy: 2, 'node-2': 2 }])
  assert.equal(await textOf(two, 'shared'), 'second')
})

test('a Caddy that accepts a change but then does not serve gets its previous configuration back', async (t) => {
  const prefix = await networkOfItsOwn()
  if (prefix.length === 0) return t.skip('needs the right to make a network namespace')
  // As one in a container whose ports are not published: only its admin endpoint can be reached.
  await using caddy = await startForeignCaddy({ prefix, routes: [saying('old.test', 'old')] })
  await using sites = await startSites(caddy.environment)
  const admin = await sites.signIn()
  const before = (await caddy.client.readConfig()).config
  const json = { mode: 'replace', confirm_exclusive: true }
  const taking = await admin.json<EditAnswer>('POST', '/api/caddy/onboard', { json })
  assert.deepEqual([taking.status, taking.body.code], [422, 'rolled_back'])
  assert.match(taking.body.errors?.[0]?.caddy_error ?? '', /nobody listens at port/)
  assert.deepEqual((await caddy.client.readConfig()).config, before)
  const probe = (isOn: boolean) => admin.call('PATCH', '/api/v1/settings', { json: { site_probe: isOn } })
  await probe(false)
  assert.equal((await admin.call('POST', '/api/caddy/onboard', { json })).status, 200)
  const site = await makeSite(admin, sayingSite('unseen', 'first'))
  await probe(true)
  const running = (await caddy.client.readConfig()).config
  const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'second' } } })
  assert.deepEqual([edit.status, edit.body.code], [422, 'rolled_back'])
  assert.deepEqual((await caddy.client.readConfig()).config, running)
  const { revision, respond, apply_state: state } = await readSite(admin, site.id)
  assert.deepEqual([revision, respond?.body, state], [site.revision, 'first', 'applied'])
  const [newest] = (await admin.json<Revision[]>('GET', '/api/revisions?limit=1')).body
  assert.deepEqual([newest?.outcome, newest?.nodes[0]?.outcome], ['failed', 'rolled-back'])
})

test('a change that the first server refuses is not tried on the others', async () => {
  await using one = await startForeignCaddy()
  await using two = await startForeignCaddy()
  await using place = await manage(one, two)
  const { admin } = place
  await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
  const raw = { kind: 'raw', respond: null, raw_directives: 'respond "as it was"' }
  const site = await makeSite(admin, { ...sayingSite('raw', ''), ...raw })
  const before = (await two.client.readConfig()).etag
  const bad = { raw_directives: '@odd header_regexp X-Test ([\nrespond @odd hello' }
  const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: bad })
  assert.deepEqual([edit.status, edit.body.code], [422, 'site_refused'])
  assert.equal((await two.client.readConfig()).etag, before)
  assert.deepEqual((await readSite(admin, site.id)).applied_revisions, { caddy: 1, 'node-2': 1 })
})
