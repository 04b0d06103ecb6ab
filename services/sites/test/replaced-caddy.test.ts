import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { SyncResult } from '../src/deploy/schema.ts'
import type { Preview } from '../src/sites/preview-schema.ts'
import type { Site } from '../src/sites/schema.ts'
import { startForeignCaddy, type ForeignCaddy } from './foreign-caddy.ts'
import { startSites, type Browser } from './in-process.ts'
import { caddyObstacle, newCaddy, newCaddyObstacle } from './real-caddy.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const [older, newer] = ['/usr/bin/caddy', newCaddy()]

/** A proxy whose configuration differs between the versions: new ones keep its WebSockets across changes. */
const proxySite = {
  site_name: 'proxied',
  domains: ['proxied.test'],
  tls: { mode: 'off' },
  upstreams: [{ url: 'http://127.0.0.1:9' }],
}

/** A service that manages a Caddy of this version, with two sites. */
async function manage(binary: string) {
  await using cleanup = new AsyncDisposableStack()
  const caddy = cleanup.use(await startForeignCaddy({ binary }))
  const sites = cleanup.use(await startSites(caddy.environment))
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  await makeSite(admin, proxySite)
  const saying = await makeSite(admin, sayingSite('saying', 'first'))
  const resources = cleanup.move()
  return {
    caddy,
    admin,
    saying,
    /** The look that the service takes every half minute. */
    look: () => sites.service.app.deploy.drift.check(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Nothing of the service looks while Caddy is away. */
async function replace(caddy: ForeignCaddy, binary: string): Promise<void> {
  await caddy.kill()
  await caddy.start(binary)
}

const served = async ({ httpPort }: ForeignCaddy) => [
  (await askHost(httpPort, 'saying.test')).text,
  (await askHost(httpPort, 'proxied.test')).status,
]

const configOf = async ({ client }: ForeignCaddy) => (await client.readConfig()).text

const states = async (admin: Browser) =>
  (await admin.json<Site[]>('GET', '/api/sites')).body.map(({ apply_state: state }) => state)

describe('a Caddy is replaced in place by another version', { skip: caddyObstacle() ?? newCaddyObstacle() }, () => {
  test('by an older one: every site is served again automatically', async () => {
    await using place = await manage(newer)
    const { caddy, admin } = place
    await replace(caddy, older)
    await place.look()
    await eventually(
      () => served(caddy),
      ([text, status]) => text === 'first' && status === 502,
    )
    await eventually(
      () => states(admin),
      (all) => all.every((state) => state === 'applied'),
    )
    const { body } = await admin.json<SyncResult>('POST', '/api/caddy/sync', { json: {} })
    assert.deepEqual([body.status, body.synced], ['no_change', true])
  })

  test('by an older one: the next edit is applied and restores the other sites', async () => {
    await using place = await manage(newer)
    const { caddy, admin, saying } = place
    await replace(caddy, older)
    const edit = { json: { respond: { body: 'second' } } }
    const { status, body } = await admin.json<EditAnswer>('PATCH', `/api/sites/${saying.id}`, edit)
    assert.deepEqual([status, body.sync_status], [200, 'synced'], JSON.stringify(body))
    assert.deepEqual(await served(caddy), ['second', 502])
    assert.deepEqual(await states(admin), ['applied', 'applied'])
  })

  test('by an older one: a requested sync reports the actual state', async () => {
    await using place = await manage(newer)
    const { caddy, admin } = place
    await replace(caddy, older)
    const { body } = await admin.json<SyncResult>('POST', '/api/caddy/sync', { json: {} })
    assert.deepEqual([body.status, body.synced], ['synced', true])
    assert.deepEqual(await served(caddy), ['first', 502])
  })

  test('by an older one: a preview reports what this version accepts', async () => {
    await using place = await manage(newer)
    const { caddy, admin, saying } = place
    await replace(caddy, older)
    const json = { respond: { body: 'second' } }
    const { status, body } = await admin.json<Preview>('POST', `/api/sites/${saying.id}/preview`, { json })
    assert.deepEqual([status, body.is_good, body.caddy_error], [200, true, null], JSON.stringify(body))
  })

  for (const resumed of [false, true])
    test(`by a newer one${resumed ? ' that resumes its configuration' : ''}: new features are used without restarting the service`, async () => {
      await using place = await manage(older)
      const { caddy } = place
      const { config } = await caddy.client.readConfig()
      assert.doesNotMatch(await configOf(caddy), /stream_close_delay/)
      await replace(caddy, newer)
      if (resumed) assert.equal((await caddy.client.replaceConfig(config as object, undefined)).kind, 'accepted')
      await place.look()
      await eventually(
        () => configOf(caddy),
        (text) => text.includes('stream_close_delay'),
      )
      assert.deepEqual(await served(caddy), ['first', 502])
    })

  test('to an older one and back: a site that only the newer version accepts returns with it', async () => {
    await using place = await manage(newer)
    const { caddy, admin } = place
    await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
    const raw = 'reverse_proxy 127.0.0.1:9 {\n\tstream_close_delay 1m\n}'
    await makeSite(admin, { ...sayingSite('raw', ''), kind: 'raw', respond: null, raw_directives: raw })
    await replace(caddy, older)
    await place.look()
    await eventually(
      () => states(admin),
      (all) => all.toSorted().join() === 'applied,applied,failed',
    )
    assert.deepEqual(await served(caddy), ['first', 502])
    const { body: sync } = await admin.json<SyncResult>('POST', '/api/caddy/sync', { json: {} })
    assert.deepEqual([sync.status, sync.synced], ['partly', false])
    assert.match(sync.detail, /^caddy refused the site "raw": .*stream_close_delay/)
    await replace(caddy, newer)
    await place.look()
    await eventually(
      () => states(admin),
      (all) => all.every((state) => state === 'applied'),
    )
    assert.equal((await askHost(caddy.httpPort, 'raw.test')).status, 502)
  })
})
