import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { setUpTokenFile } from '@hearth/accounts'
import { startSites, testPassword } from './in-process.ts'

interface Problem {
  detail: string
  code?: string
}

test('before set-up the service reveals nothing', async () => {
  await using sites = await startSites()
  const visitor = sites.browser()
  const statusOf = async (path: string) => (await visitor.call('GET', path)).status
  assert.deepEqual(
    await Promise.all(
      ['/api/v1/health', '/api/v1/ready', '/api/v1/build-info', '/api/v1/csrf', '/', '/docs'].map(statusOf),
    ),
    [200, 503, 200, 200, 200, 200],
  )
  for (const path of ['/api/v1/settings', '/api/users', '/api/session', '/api/v1/events', '/api/nothing']) {
    const { status, body } = await visitor.json<Problem>('GET', path)
    assert.deepEqual([status, body.code], [403, 'setup_required'], path)
  }
  const json = { username: 'admin', password: testPassword }
  const signIn = await visitor.json<Problem>('POST', '/api/session', { json })
  assert.deepEqual([signIn.status, signIn.body.code], [403, 'setup_required'])
})

test('the token creates one administrator, who is signed in, and is then invalid', async () => {
  await using sites = await startSites()
  const file = setUpTokenFile(sites.folder)
  const token = readFileSync(file, 'utf8').trim()
  assert.deepEqual([statSync(file).mode & 0o777, token], [0o600, sites.service.setUpToken()])
  const visitor = sites.browser()
  const wanted = { username: 'Ada', password: testPassword }
  for (const wrong of ['', 'x'.repeat(43), `${token}x`]) {
    const { status, body } = await visitor.json<Problem>('POST', '/api/setup', { json: { ...wanted, token: wrong } })
    assert.deepEqual([status, body.code], [403, 'setup_token'])
  }
  const weak = await visitor.json<Problem>('POST', '/api/setup', { json: { ...wanted, token, password: 'password1' } })
  assert.equal(weak.status, 422)
  const made = await visitor.json<{ user: object }>('POST', '/api/setup', { json: { ...wanted, token } })
  assert.equal(made.status, 200)
  assert.equal((await visitor.call('GET', '/api/v1/settings')).status, 200)
  assert.deepEqual([existsSync(file), sites.service.setUpToken()], [false, undefined])
  const again = await sites.browser().json<Problem>('POST', '/api/setup', { json: { ...wanted, token } })
  assert.deepEqual([again.status, again.body.code], [409, 'already_set_up'])
  await sites.restart()
  assert.deepEqual([existsSync(file), sites.service.setUpToken()], [false, undefined])
})

test('of two simultaneous set-ups one creates the administrator', async () => {
  await using sites = await startSites()
  const token = sites.service.setUpToken()
  const statuses = await Promise.all(
    ['ada', 'eve'].map(async (username) => {
      const json = { token, username, password: testPassword }
      return (await sites.browser().call('POST', '/api/setup', { json })).status
    }),
  )
  assert.deepEqual(
    statuses.sort((a, b) => a - b),
    [200, 409],
  )
})

test('the token survives restarts until set-up is done', async () => {
  await using sites = await startSites()
  const token = sites.service.setUpToken()
  await sites.restart()
  assert.equal(sites.service.setUpToken(), token)
})
