import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenAt, openSealedStorage } from '@hearth/service'
import {
  createPasskeyVisitor,
  createVisitor,
  testSignInMethods,
  type SignInMethodFixture,
  type Visitor,
} from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { databaseDescription } from '../src/database/description.ts'
import type { Tables } from '../src/tables.ts'
import { resetAdministrator } from '../src/users/first-administrator.ts'
import { startService, testPassword, type TestService } from './in-process.ts'

const signIn = async (visitor: Visitor, username = 'admin', password = testPassword) => {
  await visitor.demand('POST', '/api/session', { json: { username, password } })
}
const isSignedIn = async (visitor: Visitor) => (await visitor.send('GET', '/api/session')).status === 200

async function open(): Promise<SignInMethodFixture & { service: TestService }> {
  const service = await startService()
  const url = await listenAt(service.service.app.http, { host: '127.0.0.1', port: 0 })
  return {
    service,
    url,
    prefix: '/api',
    username: 'admin',
    password: testPassword,
    signIn,
    isSignedIn,
    [Symbol.asyncDispose]: () => Promise.resolve(service[Symbol.asyncDispose]()),
  }
}

testSignInMethods(open)

/** A user with a passkey and recovery codes. */
async function equip(fixture: Awaited<ReturnType<typeof open>>, username: string) {
  const { id } = await fixture.service.addUser(username, 'user')
  const browser = createPasskeyVisitor(fixture)
  await signIn(browser.visitor, username)
  const { authenticator, reply } = await browser.register(testPassword)
  assert.equal(reply.status, 200, reply.text)
  const { codes } = (await browser.post('/recovery-codes', { current_password: testPassword })).body
  const recover = (code: string, more: object = {}) =>
    createPasskeyVisitor(fixture).post('/session/recovery', { username, recovery_code: code, ...more })
  return { id, browser, authenticator, codes: codes as string[], recover }
}

test('a disabled or deleted user signs in with neither a passkey nor a code; a new password keeps both', async () => {
  await using fixture = await open()
  const { service } = fixture
  const { id, authenticator, codes, recover } = await equip(fixture, 'maria')
  const byPasskey = async () => (await createPasskeyVisitor(fixture).signIn(authenticator)).status
  await service.call('PUT', `/api/users/${id}`, { is_active: false })
  assert.equal(await byPasskey(), 401)
  assert.equal((await recover(codes[0] ?? '')).status, 401)
  await service.call('PUT', `/api/users/${id}`, { is_active: true, password: 'another-giraffe-on-ice-8' })
  assert.equal(await byPasskey(), 200)
  assert.equal((await recover(codes[0] ?? '')).status, 200, 'the refused code is not used up')
  assert.equal((await service.call('DELETE', `/api/users/${id}`)).status, 200)
  assert.equal(await byPasskey(), 401)
  assert.equal((await recover(codes[1] ?? '')).status, 401)
})

test('a recovery code replaces a lost password and ends the sessions; a weak one costs no code', async () => {
  await using fixture = await open()
  const { browser, codes, recover } = await equip(fixture, 'maria')
  const [code = ''] = codes
  const weak = await recover(code, { new_password: 'password123' })
  assert.equal(weak.status, 422)
  assert.equal(weak.body.details.fields[0].path, 'new_password')
  const next = 'another-giraffe-on-ice-8'
  assert.equal((await recover(code, { new_password: next })).status, 200)
  assert.equal(await isSignedIn(browser.visitor), false)
  const visitor = createVisitor(fixture.url)
  await assert.rejects(signIn(visitor, 'maria'))
  await signIn(visitor, 'maria', next)
  const log = await fixture.service.call('GET', '/api/security-log?search=maria')
  const kinds = log.body.data.map(({ kind, method }: { kind: string; method: string | null }) => `${kind} ${method}`)
  for (const kind of ['passkey_added null', 'recovery_codes_created null', 'sign_in recovery_code'])
    assert.ok(kinds.includes(kind), `${kind} is missing in ${kinds}`)
})

test('a passkey does not get round the change of a given password', async () => {
  await using fixture = await open()
  const { id, authenticator } = await equip(fixture, 'maria')
  await fixture.service.call('PUT', `/api/users/${id}`, { password_change_required: true })
  const browser = createPasskeyVisitor(fixture)
  const { status, body } = await browser.signIn(authenticator)
  assert.deepEqual([status, body.password_change_required], [200, true])
  const refused = await browser.visitor.send('GET', '/api/interfaces')
  assert.deepEqual([refused.status, refused.body.details.reason], [403, 'password_change_required'])
  assert.equal((await browser.get('/passkeys')).status, 403)
})

test('wrong codes count as wrong passwords do', async () => {
  await using fixture = await open()
  const guess = () =>
    fixture.service.send('POST', '/api/session/recovery', {
      body: { username: 'admin', recovery_code: 'aaaa-aaaa-aaaa-aaaa' },
      from: '127.0.0.1',
    })
  for (let count = 0; count < 5; count += 1) assert.equal((await guess()).status, 401)
  assert.equal((await guess()).status, 429)
  const password = { username: 'admin', password: testPassword }
  assert.equal((await fixture.service.send('POST', '/api/session', { body: password })).status, 429)
})

test('a reset of the administrator’s password takes passkeys and codes away', async () => {
  await using fixture = await open()
  const { service } = fixture
  const browser = createPasskeyVisitor(fixture)
  await signIn(browser.visitor)
  const { authenticator } = await browser.register(testPassword)
  const { codes } = (await browser.post('/recovery-codes', { current_password: testPassword })).body
  const config = readConfig({ DATA_DIR: service.folder })
  const { database } = await openSealedStorage<Tables>(databaseDescription, config)
  await resetAdministrator(database, service.folder)
  await database.close()
  assert.equal((await createPasskeyVisitor(fixture).signIn(authenticator)).status, 401)
  const code = { username: 'admin', recovery_code: codes[0] }
  assert.equal((await createPasskeyVisitor(fixture).post('/session/recovery', code)).status, 401)
})
