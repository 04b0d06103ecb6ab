import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startSites, type Browser } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const pagePath = '/api/v1/status-pages'
const shown = { site_name: 'Status', domains: ['status.test'], kind: 'status', tls: { mode: 'off' } }

/** Makes a public status page of one site; returns its values. */
async function makePage(admin: Browser, slug: string, name: string) {
  const { id } = await makeSite(admin, sayingSite(slug, 'one'))
  const json = { title: `State of ${name}`, is_public: true, sites: [{ site_id: id, name }] }
  // The checks learn of a site in their own time.
  await eventually(
    async () => (await admin.json('POST', pagePath, { json: { ...json, slug } })).status,
    (status) => status === 201,
  )
  return json
}

test('a status page has its own domain through the managed Caddy, and shows nothing else of the service', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const values = await makePage(admin, 'home', 'Wiki')
  await makePage(admin, 'team', 'Secret build server')
  await makeSite(admin, { ...shown, status_page: 'home' })
  const [port] = sites.caddyPorts
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    askHost(port, 'status.test', { path, headers })
  const page = await ask('/?from=a-mail')
  assert.equal(page.status, 200)
  assert.match(page.text, /State of Wiki/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  for (const path of ['/status/team', '/status/home', '/api/sites', '/api/v1/health', '/..%2fstatus/team', '//']) {
    const { status, text } = await ask(path)
    assert.equal(status, 404, path)
    assert.doesNotMatch(text, /Wiki|Secret/, path)
  }
  const asked = await ask('/', { 'X-Hearth-Status-Page': 'team', 'x-hearth-status-page': 'team' })
  assert.match(asked.text, /State of Wiki/, 'a visitor cannot name another page')

  const deleted = await admin.json<EditAnswer>('DELETE', `${pagePath}/home`)
  assert.deepEqual([deleted.status, deleted.body.detail], [409, 'The site "Status" shows this status page'])
  assert.equal((await admin.json('PUT', `${pagePath}/home`, { json: { ...values, is_public: false } })).status, 200)
  assert.equal((await ask('/')).status, 404)
  assert.equal((await admin.json('PUT', `${pagePath}/home`, { json: values })).status, 200)
  assert.equal((await ask('/')).status, 200)
})

test('a site of kind status needs a public status page', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const refused = async (members: object) => {
    const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json: { ...shown, ...members } })
    return [status, body.errors?.[0]?.field]
  }
  assert.deepEqual(await refused({}), [422, 'status_page'])
  assert.deepEqual(await refused({ status_page: 'nothing' }), [422, 'status_page'])
  assert.deepEqual(await refused({ status_page: '../etc' }), [422, 'status_page'])
})

test('with a Caddy that somebody else runs there are no status sites', async () => {
  await using sites = await startSites({ CADDY_ADMIN: 'http://127.0.0.1:9' })
  const admin = await sites.signIn()
  const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites?wait=false', {
    json: { ...shown, status_page: 'home' },
  })
  assert.equal(status, 422)
  assert.match(JSON.stringify(body.errors), /needs the Caddy that this service runs itself/)
})
