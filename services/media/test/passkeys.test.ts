import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import {
  createPasskeyVisitor,
  createVisitor,
  nextAddress,
  runCommand,
  testSignInMethods,
  type SignInMethodFixture,
  type Visitor,
} from '@hearth/testing'
import { startMedia, type Media } from './in-process.ts'

const account = { username: 'ada', password: 'correct horse battery' }

async function open(): Promise<SignInMethodFixture & { media: Media }> {
  const timers = createFastTimers(1)
  const media = await startMedia({}, { timers })
  const json = { enable_authentication: true, admin_username: account.username, admin_password: account.password }
  await media.json('POST', '/api/settings', { json })
  return {
    media,
    url: media.url,
    prefix: '/api',
    ...account,
    async signIn(visitor) {
      const headers = { 'x-forwarded-for': nextAddress() }
      const { text } = await visitor.send('GET', '/login', { headers })
      const captcha_token = /name="captcha_token" value="([^"]+)"/.exec(text)?.[1] ?? ''
      // Nobody fills in the form within a second.
      timers.jump(1050)
      await visitor.demand('POST', '/login', { json: { ...account, captcha_token, honeypot: '' }, headers })
    },
    isSignedIn,
    [Symbol.asyncDispose]: () => Promise.resolve(media[Symbol.asyncDispose]()),
  }
}

const isSignedIn = async (visitor: Visitor) =>
  (await visitor.demand('GET', '/api/session', { headers: { 'x-forwarded-for': nextAddress() } })).username !== null

testSignInMethods(open)

/** The account with a passkey and recovery codes. */
async function equip(fixture: SignInMethodFixture) {
  const browser = createPasskeyVisitor(fixture)
  await fixture.signIn(browser.visitor)
  const { authenticator, reply } = await browser.register(account.password)
  assert.equal(reply.status, 200, reply.text)
  const { codes } = (await browser.post('/recovery-codes', { current_password: account.password })).body
  const passkeyStatus = async () => (await createPasskeyVisitor(fixture).signIn(authenticator)).status
  const codeStatus = async () =>
    (await createPasskeyVisitor(fixture).post('/session/recovery', { username: 'ada', recovery_code: codes[0] })).status
  return { browser, authenticator, passkeyStatus, codeStatus }
}

test('another account takes passkeys and codes away, also when its name stays', async () => {
  await using fixture = await open()
  const { browser, passkeyStatus, codeStatus } = await equip(fixture)
  assert.equal(await passkeyStatus(), 200)
  const change = { admin_username: 'ada', admin_password: 'another horse battery' }
  await browser.visitor.demand('POST', '/api/settings', { json: change })
  assert.equal(await isSignedIn(browser.visitor), false)
  assert.equal(await passkeyStatus(), 401)
  assert.equal(await codeStatus(), 401)
})

test('a reset of the password on the command line takes passkeys and codes away', async () => {
  await using fixture = await open()
  const { passkeyStatus, codeStatus } = await equip(fixture)
  const reset = await runCommand(['media', 'reset-admin-password'], { DATA_DIR: fixture.media.folder })
  assert.equal(reset.code, 0, reset.stderr)
  assert.equal(await passkeyStatus(), 401)
  assert.equal(await codeStatus(), 401)
})

test('while sign-in is off there are no passkeys; they work again when it is on', async () => {
  await using fixture = await open()
  const { browser, authenticator, passkeyStatus } = await equip(fixture)
  const turn = (isOn: boolean, by: Visitor) =>
    by.demand('POST', '/api/settings', {
      json: { enable_authentication: isOn },
      headers: { 'x-forwarded-for': nextAddress() },
    })
  await turn(false, browser.visitor)
  const visitor = createVisitor(fixture.url)
  const headers = { origin: browser.origin }
  for (const path of ['/passkeys/login/start', '/passkeys/register/start', '/session/recovery']) {
    const json = {
      '/passkeys/login/start': {},
      '/passkeys/register/start': { current_password: account.password },
      '/session/recovery': { username: 'ada', recovery_code: 'x' },
    }[path]
    const refused = await visitor.send('POST', `/api${path}`, { json, headers })
    assert.deepEqual([refused.status, refused.body.error], [409, 'sign_in_off'], path)
  }
  await turn(true, visitor)
  assert.equal(await passkeyStatus(), 200)
  const log = createPasskeyVisitor(fixture)
  await log.signIn(authenticator)
  const { events } = await log.visitor.demand('GET', '/api/security-log')
  const kinds = events.map(({ kind, method }: { kind: string; method: string | null }) => `${kind} ${method}`)
  for (const kind of ['passkey_added null', 'recovery_codes_created null', 'sign_in passkey'])
    assert.ok(kinds.includes(kind), `${kind} is missing in ${kinds}`)
})
