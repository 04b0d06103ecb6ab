import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand, createAuthenticator } from '@hearth/testing'
import type { Session } from '../src/accounts/schema.ts'
import { startSites, testPassword } from './in-process.ts'

test('a locked-out user gets a one-time password, and earlier sessions and codes stop working', async () => {
  await using sites = await startSites()
  const empty = await runCommand(['sites', 'reset-admin-password'], { DATA_DIR: sites.folder })
  assert.deepEqual([empty.code, empty.stdout], [1, ''])
  const admin = await sites.signIn()
  await sites.addUser('ada', 'admin')
  const headers = { origin: sites.url.replace('127.0.0.1', 'localhost') }
  const start = await admin.json<{ options: object }>('POST', '/api/passkeys/register/start', { headers, json: {} })
  const credential = createAuthenticator(headers.origin).create(start.body.options)
  assert.equal(
    (await admin.call('POST', '/api/passkeys/register/finish', { headers, json: { credential } })).status,
    200,
  )
  await admin.call('POST', '/api/session/recovery-codes')
  const { code, stdout } = await runCommand(['sites', 'reset-admin-password'], { DATA_DIR: sites.folder })
  assert.deepEqual([code, /^[a-z0-9-]{20,}\n$/.test(stdout)], [0, true])
  assert.equal((await admin.call('GET', '/api/session')).status, 401)
  const old = { username: 'admin', password: testPassword }
  assert.equal((await sites.browser().call('POST', '/api/session', { json: old })).status, 401)
  const browser = sites.browser()
  const json = { username: 'admin', password: stdout.trim() }
  const { body } = await browser.json<Session>('POST', '/api/session', { json })
  assert.deepEqual([body.password_change_required, body.passkeys, body.recovery_codes_left], [true, 0, 0])
  assert.equal((await browser.call('GET', '/api/users')).status, 403)
  const change = { current_password: stdout.trim(), new_password: 'a quite new passphrase' }
  assert.equal((await browser.call('POST', '/api/session/password', { json: change })).status, 200)
  assert.equal((await browser.call('GET', '/api/users')).status, 200)
  // Others keep what they have, and may be named.
  await sites.signInAs('ada')
  const named = await runCommand(['sites', 'reset-admin-password', '--username', 'Ada'], { DATA_DIR: sites.folder })
  await sites.signInAs('ada', named.stdout.trim())
  const nobody = await runCommand(['sites', 'reset-admin-password', '--username', 'eve'], { DATA_DIR: sites.folder })
  assert.deepEqual([nobody.code, nobody.stdout, /--username: /.test(nobody.stderr)], [1, '', true])
})

test('a new password works at once after guessing had locked the account', async () => {
  await using sites = await startSites()
  await sites.signIn()
  const guess = { json: { username: 'admin', password: 'guess' } }
  for (let index = 0; index < 6; index += 1) await sites.browser().call('POST', '/api/session', guess)
  const { stdout } = await runCommand(['sites', 'reset-admin-password'], { DATA_DIR: sites.folder })
  await sites.signInAs('admin', stdout.trim())
})
