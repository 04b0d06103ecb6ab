import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenAt } from '@hearth/service'
import {
  createPasskeyVisitor,
  createVisitor,
  testSignInMethods,
  type SignInMethodFixture,
  type Visitor,
} from '@hearth/testing'
import { resetPassword } from '../src/accounts/sessions.ts'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { startGateway, testPassword, type TestGateway } from './in-process.ts'

const signIn = async (visitor: Visitor, password = testPassword) => {
  await visitor.demand('POST', '/admin/api/session', { json: { username: 'admin', password } })
}
const isSignedIn = async (visitor: Visitor) => (await visitor.send('GET', '/admin/api/session')).status === 200

async function open(environment: Record<string, string> = {}): Promise<SignInMethodFixture & { gateway: TestGateway }> {
  const gateway = await startGateway({ environment, device: null })
  await gateway.signIn()
  const url = await listenAt(gateway.service.app.http, { host: '127.0.0.1', port: 0 })
  return {
    gateway,
    url,
    prefix: '/admin/api',
    username: 'admin',
    password: testPassword,
    signIn,
    isSignedIn,
    [Symbol.asyncDispose]: () => Promise.resolve(gateway[Symbol.asyncDispose]()),
  }
}

testSignInMethods(open)

/** The administrator with a passkey and recovery codes. */
async function equip(fixture: SignInMethodFixture) {
  const browser = createPasskeyVisitor(fixture)
  await signIn(browser.visitor)
  const { authenticator, reply } = await browser.register(testPassword)
  assert.equal(reply.status, 200, reply.text)
  const { codes } = (await browser.post('/recovery-codes', { current_password: testPassword })).body
  const recover = (code: string, more: object = {}) =>
    createPasskeyVisitor(fixture).post('/session/recovery', { username: 'admin', recovery_code: code, ...more })
  return { browser, authenticator, codes: codes as string[], recover }
}

test('a recovery code replaces a lost password and ends the sessions; a weak one costs no code', async () => {
  await using fixture = await open()
  const { browser, codes, recover } = await equip(fixture)
  const [code = ''] = codes
  const weak = await recover(code, { new_password: 'password123' })
  assert.equal(weak.status, 422)
  assert.equal(weak.body.errors[0].parameter, 'new_password')
  const next = 'another-giraffe-on-ice-8'
  assert.equal((await recover(code, { new_password: next })).status, 200)
  assert.equal(await isSignedIn(browser.visitor), false)
  const visitor = createVisitor(fixture.url)
  await assert.rejects(signIn(visitor))
  await signIn(visitor, next)
  const log = await visitor.demand('GET', '/admin/api/security-log')
  const kinds = log.events.map(({ kind, method }: { kind: string; method: string | null }) => `${kind} ${method}`)
  for (const kind of ['passkey_added null', 'recovery_codes_created null', 'sign_in recovery_code'])
    assert.ok(kinds.includes(kind), `${kind} is missing in ${kinds}`)
})

test('a reset of the password takes passkeys and codes away', async () => {
  await using fixture = await open()
  const { authenticator, codes, recover } = await equip(fixture)
  const { folder } = fixture.gateway
  const { database } = await openStorage(readConfig({ DATA_DIR: folder }))
  await resetPassword(database, folder)
  await database.close()
  assert.equal((await createPasskeyVisitor(fixture).signIn(authenticator)).status, 401)
  assert.equal((await recover(codes[0] ?? '')).status, 401)
})

test('wrong codes lock an address out as wrong passwords do', async () => {
  await using fixture = await open({ RATE_LIMIT_EXEMPT: '' })
  const { recover } = await equip(fixture)
  for (let count = 0; count < 5; count += 1) assert.equal((await recover('aaaa-aaaa-aaaa-aaaa')).status, 401)
  const statuses = [(await recover('aaaa-aaaa-aaaa-aaaa')).status, (await recover('aaaa-aaaa-aaaa-aaaa')).status]
  assert.equal(statuses[1], 429)
  await assert.rejects(signIn(createVisitor(fixture.url)), /429/)
})
