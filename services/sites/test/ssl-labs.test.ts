import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startSites, type Browser } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { startSslLabsServer } from './ssl-labs-server/ssl-labs-server.ts'

interface Status {
  readonly masked_email: string
  readonly is_registered: boolean | null
  readonly message: string
}
interface Scans {
  readonly enabled: boolean
  readonly site_ids: number[]
  readonly scans: { host: string; state: string; grade: string | null }[]
}

const identity = { first_name: 'Ada', last_name: 'L', email: 'it@example.org', organization: 'House' }

async function openSites(caddy = false) {
  const server = await startSslLabsServer()
  // Being set in the variable allows the address.
  const sites = await startSites({ SSLLABS_BASE_URL: server.url }, { caddy })
  const admin = await sites.signIn()
  return {
    server,
    admin,
    async [Symbol.asyncDispose]() {
      await sites[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function addSite(admin: Browser): Promise<number> {
  const json = {
    site_name: 'Shop',
    domains: ['shop.hearth-test.org'],
    kind: 'respond',
    respond: { body: '' },
    tls: { mode: 'internal' },
  }
  const made = await admin.json<{ site: { id: number } }>('POST', '/api/sites', { json })
  assert.ok(made.status < 300, JSON.stringify(made.body))
  return made.body.site.id
}

test('registration requires an explicit name and shows the address only masked', async () => {
  await using opened = await openSites()
  const { admin, server } = opened
  const register = (json?: object) =>
    admin.json<{ detail?: string; code?: string; masked_email?: string; success?: boolean }>(
      'POST',
      '/api/v1/ssllabs/register',
      json === undefined ? { from: '10.9.9.1' } : { json },
    )
  const none = await register()
  assert.equal(none.status, 400, JSON.stringify(none.body))
  const free = await register({ ...identity, email: 'ada@gmail.com' })
  assert.deepEqual([free.status, free.body.code], [409, 'free_mail'])
  const refused = await register({ ...identity, email: 'ada@gmail.com', accept_free_mail: true })
  assert.equal(refused.status, 502)
  assert.equal((await admin.json<Status>('GET', '/api/v1/ssllabs/registration-status')).body.is_registered, null)
  const done = await register(identity)
  assert.deepEqual([done.status, done.body.success, done.body.masked_email], [200, true, 'i***@example.org'])
  const status = await admin.json<Status>('POST', '/api/v1/ssllabs/refresh-status')
  assert.deepEqual(status.body, {
    masked_email: 'i***@example.org',
    is_registered: true,
    message: 'The e-mail address is registered',
  })
  server.registered.clear()
  assert.equal((await admin.json<Status>('POST', '/api/v1/ssllabs/refresh-status')).body.is_registered, false)
})

test(
  'a host is scanned only if the service and its site allow it; its grade is in the history',
  { skip: caddyObstacle() ?? false },
  async () => {
    await using opened = await openSites(true)
    const { admin, server } = opened
    await eventually(
      async () => (await admin.call('GET', '/api/v1/ready')).status,
      (status) => status === 200,
    )
    const site = await addSite(admin)
    const scan = () =>
      admin.json<{ code?: string; state?: string }>('POST', '/api/v1/ssllabs/scans', {
        json: { host: 'shop.hearth-test.org' },
      })
    assert.equal((await scan()).body.code, 'ssllabs_off')
    await admin.call('POST', '/api/v1/ssllabs/register', { json: identity })
    await admin.call('PATCH', '/api/v1/settings', { json: { grade_source: 'ssllabs' } })
    assert.equal((await scan()).body.code, 'ssllabs_not_allowed')
    assert.equal(server.asked.length, 0)
    const allowed = await admin.call('PUT', `/api/v1/ssllabs/sites/${site}`, { json: { enabled: true } })
    assert.equal(allowed.status, 200)
    assert.equal((await admin.call('PUT', '/api/v1/ssllabs/sites/99', { json: { enabled: true } })).status, 404)
    server.results.set('shop.hearth-test.org', { status: 'READY', endpoints: [{ grade: 'B' }, { grade: 'A' }] })
    assert.equal((await scan()).status, 202)
    const list = await eventually(
      async () => (await admin.json<Scans>('GET', '/api/v1/ssllabs/scans')).body,
      ({ scans }) => scans[0]?.state === 'ready',
    )
    assert.deepEqual([list.enabled, list.site_ids, list.scans[0]?.grade], [true, [site], 'mixed'])
    assert.ok(server.asked.every((query) => query.get('publish') === 'off'))
    const history = await admin.json<{ series: { host: string; source: string; points: { grade: string }[] }[] }>(
      'GET',
      '/api/v1/certificates/grades?source=ssllabs',
    )
    assert.deepEqual(
      history.body.series.map(({ host, source, points }) => [host, source, points.at(-1)?.grade]),
      [['shop.hearth-test.org', 'ssllabs', 'mixed']],
    )
  },
)
