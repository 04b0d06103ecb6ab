import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import type { SettingsView } from '../src/settings/schema.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'

interface Problem {
  errors?: { field?: string }[]
}

let sites: Sites
let admin: Browser
before(async () => {
  sites = await startSites()
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const read = async () => (await admin.json<SettingsView>('GET', '/api/v1/settings')).body
const change = (json: object) => admin.json<SettingsView & Problem>('PATCH', '/api/v1/settings', { json })

test('settings have defaults, can be changed individually and survive a restart', async () => {
  const before = await read()
  assert.deepEqual(
    [before.allow_raw, before.grade_source, before.default_response, before.ssllabs],
    [false, 'local', '404', null],
  )
  const values = { acme_email: 'ops@example.org', allow_raw: true, grade_retention_days: 0, default_response: 'abort' }
  const { status, body } = await change(values)
  assert.deepEqual([status, body], [200, { ...before, ...values }])
  await sites.restart()
  assert.deepEqual(await read(), { ...before, ...values })
  assert.equal((await change({ acme_email: '' })).body.acme_email, '')
})

test('an invalid value is named, and nothing of the change is stored', async () => {
  const before = await read()
  const wrong: [string, unknown][] = [
    ['acme_email', 'nobody'],
    ['acme_ca', 'letsencrypt'],
    ['acme_ca', 'https://user:word@ca.example'],
    ['site_probe', 'yes'],
    ['grade_source', 'other'],
    ['grade_schedule', 'hourly'],
    ['grade_retention_days', 31],
    ['maintenance_page', 'x'.repeat(16_385)],
    ['maintenance_page', 'é'.repeat(8193)],
    ['maintenance_page', 'bell \u0007'],
    ['maintenance_page', 'secret {env.HOME}'],
    ['default_response', '200'],
    ['unknown', true],
  ]
  for (const [field, value] of wrong) {
    const { status, body } = await change({ allow_raw: !before.allow_raw, [field]: value })
    assert.deepEqual([status, body.errors?.[0]?.field], [422, field], `${field} ${String(value).slice(0, 20)}`)
  }
  assert.equal((await change({})).status, 422)
  assert.deepEqual(await read(), before)
  assert.equal((await change({ maintenance_page: 'x'.repeat(16_384) })).status, 200)
})

test('allowing raw directives requires a confirmation within five minutes', async () => {
  const timers = createFastTimers(1)
  await using later = await startSites({}, { timers })
  const browser = await later.signIn()
  timers.jump(301_000)
  const allow = (allow_raw: boolean) =>
    browser.json<Problem>('PATCH', '/api/v1/settings', { json: { allow_raw } }).then(({ status }) => status)
  assert.deepEqual([await allow(true), await allow(false)], [403, 200])
  const json = { password: testPassword }
  assert.equal((await browser.call('POST', '/api/session/reauthenticate', { json })).status, 200)
  assert.deepEqual([await allow(true), await allow(false)], [200, 200])
})

test('the registration’s e-mail address is shown only masked', async () => {
  const ssllabs = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org', organization: 'Engines' }
  const { body } = await change({ ssllabs })
  const { email: _, ...rest } = ssllabs
  assert.deepEqual(body.ssllabs, { ...rest, masked_email: 'a***@example.org' })
  assert.equal(sites.service.app.settings.current().ssllabs?.email, 'ada@example.org')
  assert.equal((await change({ ssllabs: null })).body.ssllabs, null)
})
