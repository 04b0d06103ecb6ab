import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startCuttingProxy } from './cutting-proxy.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { startCaddy } from './real-caddy.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

/** A service whose connection to a real Caddy breaks when the test wants it to. */
async function startBehindProxy() {
  await using cleanup = new AsyncDisposableStack()
  const caddy = cleanup.use(await startCaddy())
  const proxy = cleanup.use(await startCuttingProxy(caddy.socket))
  const { address } = proxy
  if (address.kind !== 'tcp') throw new Error('the proxy listens at a port')
  const sites = cleanup.use(
    await startSites({
      CADDY_ADMIN: `http://${address.host}:${address.port}`,
      CADDY_HTTP_PORT: String(caddy.httpPort),
      CADDY_HTTPS_PORT: String(caddy.httpsPort),
      CADDY_BIND: '127.0.0.1',
    }),
  )
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  const resources = cleanup.move()
  return { caddy, proxy, sites, admin, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const look = (sites: Sites) => sites.service.app.deploy.drift.check()

const stateOf = async (admin: Browser, id: number) =>
  (await admin.json<EditAnswer['site']>('GET', `/api/sites/${id}`)).body.apply_state

test('a lost response of Caddy is resolved by reading its configuration; a lost request is sent again', async () => {
  await using place = await startBehindProxy()
  const { admin, proxy, caddy } = place
  for (const cut of ['after', 'before'] as const) {
    proxy.cuts.push(cut)
    const made = await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite(`cut-${cut}`, cut) })
    assert.deepEqual([made.status, made.body.sync_status, made.body.site.apply_state], [201, 'synced', 'applied'])
    assert.equal((await askHost(caddy.httpPort, `cut-${cut}.test`)).text, cut)
  }
})

test('when Caddy cannot be read either, the response is unknown and is resolved later', async () => {
  await using place = await startBehindProxy()
  const { admin, proxy, caddy, sites } = place
  proxy.cuts.push('gone')
  const made = await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite('perhaps', 'perhaps') })
  assert.deepEqual([made.status, made.body.sync_status, made.body.synced], [201, 'unknown', false])
  const { id } = made.body.site
  assert.equal(await stateOf(admin, id), 'pending')
  proxy.isGone = false
  await look(sites)
  await eventually(
    () => stateOf(admin, id),
    (state) => state === 'applied',
  )
  assert.equal((await askHost(caddy.httpPort, 'perhaps.test')).text, 'perhaps')
  assert.deepEqual((await admin.json('GET', '/api/caddy/drift')).body, [])
})

test('a change lost before it reached Caddy is applied on its return', async () => {
  await using place = await startBehindProxy()
  const { admin, proxy, caddy, sites } = place
  const site = await makeSite(admin, sayingSite('later', 'before'))
  proxy.meanwhile = () => {
    proxy.isGone = true
    return Promise.resolve()
  }
  proxy.cuts.push('before')
  const edit = await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'after' } } })
  assert.deepEqual([edit.status, edit.body.sync_status], [200, 'unknown'])
  assert.equal((await askHost(caddy.httpPort, 'later.test')).text, 'before')
  proxy.isGone = false
  await look(sites)
  await eventually(
    () => askHost(caddy.httpPort, 'later.test'),
    ({ text }) => text === 'after',
  )
})
