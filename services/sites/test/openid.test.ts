import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import type { Session, User } from '../src/accounts/schema.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'

let provider: OpenIdProvider
let sites: Sites

before(async () => {
  provider = await startOpenIdProvider({ publicUrl: 'http://127.0.0.1:8104', path: '/api/openid' })
  sites = await startSites(provider.settings)
})
after(async () => {
  await sites[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** Signs the provider's person in as a browser does, and returns where it ends. */
async function signIn(browser: Browser, start = '/api/openid?next=/sites'): Promise<string | null> {
  const started = await browser.call('GET', start)
  assert.equal(started.status, 303)
  const { pathname, search } = await provider.visit(started.headers.get('location') ?? '')
  const headers = { 'sec-fetch-site': 'cross-site' }
  const ended = await browser.call('GET', `${pathname}${search}`, { headers })
  assert.equal(ended.status, 303)
  return ended.headers.get('location')
}

const sessionOf = async (browser: Browser) => (await browser.json<Session>('GET', '/api/session')).body

test('before the set-up nobody signs in through a provider', async () => {
  assert.equal((await sites.browser().call('GET', '/api/openid')).status, 403)
  await sites.signIn()
  const { body } = await sites.browser().json('GET', '/api/openid/provider')
  assert.deepEqual(body, { name: 'House account' })
})

test('a person gets a user without a password, whose sign-in counts as confirmation', async () => {
  const browser = sites.browser()
  assert.equal(await signIn(browser), '/sites')
  const session = await sessionOf(browser)
  assert.deepEqual([session.user.username, session.user.role, session.has_password], ['maria', 'user', false])
  assert.notEqual(session.recent_until, null)
  assert.equal(browser.cookies.has('hearth_sites_openid'), false)
  const admin = await sites.signIn()
  const users = (await admin.json<User[]>('GET', '/api/users')).body
  assert.deepEqual(
    users.map(({ username, has_openid: hasOpenId }) => [username, hasOpenId]),
    [
      ['admin', false],
      ['maria', true],
    ],
  )
  assert.equal((await browser.call('DELETE', '/api/session')).status, 200)
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
})

test('the role follows the groups at each sign-in, and the security log says so', async () => {
  const [browser, admin] = [sites.browser(), await sites.signIn()]
  const { person } = provider
  provider.person = { ...person, groups: ['admins'] }
  await signIn(browser)
  assert.equal((await sessionOf(browser)).user.role, 'admin')
  provider.person = person
  await signIn(browser, '/api/openid?next=/sites&again=1')
  assert.equal((await sessionOf(browser)).user.role, 'user')
  const { body } = await admin.json<{ events: Record<string, unknown>[] }>(
    'GET',
    '/api/security-log?kind=rights_changed',
  )
  assert.deepEqual(
    body.events.map(({ username, method, detail }) => [username, method, detail]),
    [
      ['maria', 'openid', 'role: user'],
      ['maria', 'openid', 'role: admin'],
    ],
  )
})

test('a user for sites only becomes no administrator through the groups of the provider', async () => {
  const admin = await sites.signIn()
  const users = async () => (await admin.json<User[]>('GET', '/api/users')).body
  const maria = (await users()).find(({ username }) => username === 'maria')
  const change = (json: object) => admin.json('PATCH', `/api/users/${maria?.id}`, { json })
  assert.equal((await change({ sites_only: true })).status, 200)
  const { person } = provider
  provider.person = { ...person, groups: ['admins'] }
  const browser = sites.browser()
  const started = await browser.call('GET', '/api/openid')
  const { pathname, search } = await provider.visit(started.headers.get('location') ?? '')
  const ended = await browser.call('GET', `${pathname}${search}`, { headers: { 'sec-fetch-site': 'cross-site' } })
  assert.equal(ended.status, 403)
  assert.equal((await users()).find(({ username }) => username === 'maria')?.role, 'user')
  provider.person = person
  assert.equal((await change({ sites_only: false })).status, 200)
})

test('refusals end at the sign-in page, and leave the session that was there', async () => {
  const admin = await sites.signIn()
  const { person } = provider
  provider.person = { sub: 'other', preferred_username: 'admin', groups: ['admins'] }
  assert.equal(await signIn(admin), '/?sign_in_error=openid_name_taken')
  assert.equal((await sessionOf(admin)).user.username, 'admin')
  provider.person = { ...person, groups: ['guests'] }
  assert.equal(await signIn(sites.browser()), '/?sign_in_error=openid_not_allowed')
  provider.person = person
})
