import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { eventually } from '@hearth/testing'
import { startSites, type Browser } from './in-process.ts'

const path = '/api/v1/status-pages'

/** Makes two sites on a Caddy that is not there; returns their ids. */
async function makeSites(admin: Browser): Promise<[number, number]> {
  const site = { tls: { mode: 'off' }, upstreams: [{ url: 'http://10.1.2.3:8080' }] }
  const make = async (name: string) => {
    const json = { ...site, site_name: name, domains: [`${name}.secret.test`] }
    const { status, body } = await admin.json<{ site: { id: number } }>('POST', '/api/sites?wait=false', { json })
    assert.ok(status < 300, JSON.stringify(body))
    return body.site.id
  }
  const ids = [await make('internal-wiki'), await make('hidden-vault')] as const
  // The checks learn of sites in their own time.
  await eventually(
    async () => (await admin.json<{ total: number }>('GET', '/api/v1/uptime')).body.total,
    (total) => total === 2,
  )
  return [...ids]
}

test('a public page shows chosen sites under their public names, and nothing else of the service', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const [wiki] = await makeSites(admin)
  const json = {
    slug: 'home',
    title: 'Our <house>',
    description: 'What "runs" here',
    is_public: true,
    sites: [{ site_id: wiki, name: 'Wiki & <b>notes</b>' }],
  }
  const created = await admin.json<{ path: string }>('POST', path, { json })
  assert.deepEqual([created.status, created.body.path], [201, '/status/home'])
  const visitor = sites.browser()
  const response = await visitor.call('GET', '/status/home')
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
  assert.equal(response.headers.get('set-cookie'), null)
  const html = await response.text()
  assert.match(html, /<h1>Our &lt;house&gt;<\/h1>/)
  assert.match(html, /Wiki &amp; &lt;b&gt;notes&lt;\/b&gt;/)
  for (const secret of ['secret.test', '10.1.2.3', 'internal-wiki', 'hidden-vault', 'Hearth', '<script'])
    assert.ok(!html.includes(secret), secret)
  assert.equal((html.match(/<rect/g) ?? []).length, 90)
})

test('a page that is not public is one that there is not, but for users', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const [wiki] = await makeSites(admin)
  const json = { slug: 'team', title: 'Team', sites: [{ site_id: wiki, name: 'Wiki' }] }
  assert.equal((await admin.json('POST', path, { json })).status, 201)
  const visitor = sites.browser()
  const read = async (browser: Browser, address: string) => {
    const response = await browser.call('GET', address)
    return [response.status, await response.text()] as const
  }
  const closed = await read(visitor, '/status/team')
  assert.deepEqual(closed, await read(visitor, '/status/nothing'))
  assert.equal(closed[0], 404)
  await sites.addUser('grace', 'user')
  assert.equal((await read(await sites.signInAs('grace'), '/status/team'))[0], 200)
  const { slug, ...values } = json
  assert.equal((await admin.json('PUT', `${path}/${slug}`, { json: { ...values, is_public: true } })).status, 200)
  assert.equal((await read(visitor, '/status/team'))[0], 200)
  assert.equal((await admin.json('DELETE', `${path}/${slug}`)).status, 200)
  assert.equal((await read(visitor, '/status/team'))[0], 404)
  const { body } = await admin.json<{ events: SecurityEvent[] }>('GET', '/api/security-log')
  const details = body.events.filter(({ target }) => target === 'status page team').map(({ detail }) => detail)
  assert.deepEqual(details.toReversed(), ['created', 'changed, public', 'deleted'])
})

test('a deleted site leaves the page, and wrong values are refused with their member', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const [wiki, vault] = await makeSites(admin)
  const json = {
    slug: 'home',
    title: 'Home',
    is_public: true,
    sites: [
      { site_id: wiki, name: 'Wiki' },
      { site_id: vault, name: 'Vault' },
    ],
  }
  const refused = async (wrong: object, status: number, field: string | undefined) => {
    const answer = await admin.json<{ errors?: { field: string }[] }>('POST', path, { json: { ...json, ...wrong } })
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.field], [status, field], JSON.stringify(answer.body))
  }
  await refused({ slug: '../etc' }, 422, 'slug')
  await refused({ sites: [] }, 422, 'sites')
  await refused({ sites: [json.sites[0], json.sites[0]] }, 422, 'sites')
  await refused({ sites: [{ site_id: 99, name: 'No' }] }, 422, 'sites.0.site_id')
  assert.equal((await admin.json('POST', path, { json })).status, 201)
  await refused({}, 409, undefined)
  assert.equal((await admin.json('DELETE', `/api/sites/${vault}?wait=false`)).status, 200)
  await eventually(
    async () => (await admin.json<{ total: number }>('GET', '/api/v1/uptime')).body.total,
    (total) => total === 1,
  )
  const { body } = await admin.json('PUT', `${path}/home`, {
    json: { title: 'New', is_public: true, sites: [json.sites[0]] },
  })
  assert.ok(JSON.stringify(body).includes('New'))
  const html = await (await sites.browser().call('GET', '/status/home')).text()
  assert.ok(html.includes('Wiki') && !html.includes('Vault'))
})
