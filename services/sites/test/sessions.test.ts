import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import type { Session } from '../src/accounts/schema.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'

interface Problem {
  detail: string
  code?: string
}

const timers = createFastTimers(1)
let sites: Sites
before(async () => {
  sites = await startSites({}, { timers })
  await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const statusOf = async (browser: Browser) => (await browser.call('GET', '/api/session')).status
const minutes = (count: number) => timers.jump(count * 60_000)

test('a session reports its user, its lifetime and the remaining sign-in methods', async () => {
  const browser = await sites.signInAs('admin')
  const { body } = await browser.json<Session>('GET', '/api/session')
  assert.deepEqual(
    [body.user.username, body.user.role, body.has_password, body.passkeys, body.recovery_codes_left],
    ['admin', 'admin', true, 0, 0],
  )
  assert.equal(body.csrf_token, await browser.csrf())
  const lasts = Date.parse(body.expires_at) - timers.now()
  assert.ok(lasts > 3_590_000 && lasts <= 3_600_000)
})

test('the cookie is bound to this host, and the database stores only its hash', async () => {
  const browser = sites.browser()
  await browser.csrf()
  const json = { username: 'admin', password: testPassword }
  const response = await browser.call('POST', '/api/session', { json })
  const [cookie = ''] = response.headers.getSetCookie()
  assert.match(cookie, /^hearth_sites_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/)
  const { body } = await browser.json<{ codes: string[] }>('POST', '/api/session/recovery-codes')
  const stored = ['sites.db', 'sites.db-wal'].map((name) => readFileSync(join(sites.folder, name), 'latin1')).join('')
  assert.ok(stored.includes('admin'))
  for (const secret of [
    browser.sessionKey() ?? '',
    testPassword,
    ...body.codes,
    ...body.codes.map((code) => code.replaceAll('-', '')),
  ])
    assert.equal(stored.includes(secret), false)
})

test('a session key set before sign-in is invalid afterwards', async () => {
  const browser = sites.browser()
  await browser.csrf()
  const planted = browser.copy()
  const json = { username: 'admin', password: testPassword }
  assert.equal((await browser.call('POST', '/api/session', { json })).status, 200)
  assert.equal(await statusOf(planted), 401)
  // Signing in once more ends what was there.
  const before = browser.copy()
  assert.equal((await browser.call('POST', '/api/session', { json })).status, 200)
  assert.deepEqual([await statusOf(before), await statusOf(browser)], [401, 200])
  const madeUp = sites.browser()
  madeUp.cookies.set('hearth_sites_session', 'x'.repeat(43))
  assert.equal(await statusOf(madeUp), 401)
})

test('an unused session ends after an hour, an active one after a day', async () => {
  const idle = await sites.signInAs('admin')
  minutes(59)
  assert.equal(await statusOf(idle), 200)
  minutes(59)
  assert.equal(await statusOf(idle), 200)
  minutes(61)
  assert.equal(await statusOf(idle), 401)
  const busy = await sites.signInAs('admin')
  for (let hour = 0; hour < 24 * 60; hour += 50) {
    assert.equal(await statusOf(busy), 200, `minute ${hour}`)
    minutes(50)
  }
  assert.equal(await statusOf(busy), 401)
})

test('signing out ends the session, also for a copied cookie', async () => {
  const browser = await sites.signInAs('admin')
  const thief = browser.copy()
  assert.equal(await statusOf(thief), 200)
  assert.equal((await browser.call('DELETE', '/api/session')).status, 200)
  assert.deepEqual([browser.sessionKey(), await statusOf(thief)], [undefined, 401])
})

test('a restart ends no session', async () => {
  const browser = await sites.signInAs('admin')
  await sites.restart()
  assert.equal(await statusOf(browser), 200)
})

test('confirming your identity rotates the session key', async () => {
  const browser = await sites.signInAs('admin')
  minutes(6)
  const { body } = await browser.json<Session>('GET', '/api/session')
  assert.equal(body.recent_until, null)
  const before = browser.copy()
  const wrong = await browser.json<Problem>('POST', '/api/session/reauthenticate', { json: { password: 'wrong one' } })
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'wrong_password'])
  const json = { password: testPassword }
  const right = await browser.json<Session>('POST', '/api/session/reauthenticate', { json })
  assert.equal(right.status, 200)
  assert.ok(Date.parse(right.body.recent_until ?? '') > timers.now() + 290_000)
  assert.deepEqual([await statusOf(before), await statusOf(browser)], [401, 200])
})

describe('a password change', () => {
  const next = 'a quite new passphrase'
  test('requires the current password and a strong new one', async () => {
    await sites.addUser('grace', 'user')
    const browser = await sites.signInAs('grace')
    const change = (json: object) => browser.json<Problem>('POST', '/api/session/password', { json })
    assert.equal((await change({ current_password: 'wrong one', new_password: next })).status, 400)
    for (const new_password of ['short', 'password123', 'aaaaaaaaaaaa', 'grace1234', testPassword])
      assert.equal((await change({ current_password: testPassword, new_password })).status, 422, new_password)
    assert.equal((await change({ new_password: next })).status, 422)
    assert.equal(await statusOf(browser), 200)
  })

  test('ends the other sessions and rotates this one’s key', async () => {
    const browser = await sites.signInAs('grace')
    const elsewhere = await sites.signInAs('grace')
    const thief = browser.copy()
    const json = { current_password: testPassword, new_password: next }
    assert.equal((await browser.call('POST', '/api/session/password', { json })).status, 200)
    assert.deepEqual(await Promise.all([browser, elsewhere, thief].map(statusOf)), [200, 401, 401])
    const old = { username: 'grace', password: testPassword }
    assert.equal((await sites.browser().call('POST', '/api/session', { json: old })).status, 401)
    await sites.signInAs('grace', next)
  })
})

test('behind HTTPS the cookie is Secure and bound to the host', async () => {
  await using published = await startSites({ PUBLIC_URL: 'https://sites.example.org' })
  const cookieOf = async (headers: Record<string, string>) =>
    (await fetch(`${published.url}/api/v1/csrf`, { headers })).headers.getSetCookie()[0] ?? ''
  const secure = /^__Host-hearth_sites_session=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/
  assert.match(await cookieOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'sites.example.org' }), secure)
  // A proxy that says nothing of https is believed to use it under the published name.
  assert.match(await cookieOf({ 'x-forwarded-host': 'sites.example.org' }), secure)
  // One that says https is believed whatever the name.
  assert.match(await cookieOf({ 'x-forwarded-proto': 'https' }), secure)
  // At home, under the address, http goes on working.
  assert.match(await cookieOf({}), /^hearth_sites_session=[^;]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/)
  await using strict = await startSites({ PUBLIC_URL: 'https://sites.example.org', TRUSTED_PROXIES: '' })
  const lied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'sites.example.org' }
  const [cookie = ''] = (await fetch(`${strict.url}/api/v1/csrf`, { headers: lied })).headers.getSetCookie()
  assert.doesNotMatch(cookie, /__Host-/)
})
