import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { createAuthenticator, type Deviation, type SoftwareAuthenticator } from '@hearth/testing'
import type { User } from '../src/accounts/schema.ts'
import type { Passkey } from '@hearth/accounts/passkey-schema'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'
import { createLogLines } from './log-lines.ts'

interface Problem {
  detail: string
  code?: string
}
interface Answer {
  detail: string
  code?: string
  options: object
  passkey: Passkey
  redirect_url: string
  csrf_token: string
}

/** The members of the options that tests check. */
interface Creation {
  rp: { id: string }
  user: { id: string }
  attestation: string
  authenticatorSelection: { userVerification: string; residentKey: string }
}
interface Request {
  challenge: string
  userVerification: string
  allowCredentials?: object[]
}

const timers = createFastTimers(1)
const lines = createLogLines()
let sites: Sites
let admin: Browser
/** `localhost` is the name passkeys belong to when no other is set. */
const origin = () => sites.url.replace('127.0.0.1', 'localhost')

before(async () => {
  sites = await startSites({}, { timers, log: lines.log })
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const post = (browser: Browser, path: string, json: object = {}) =>
  browser.json<Answer>('POST', `/api/passkeys/${path}`, { json, headers: { origin: origin() } })

async function register(
  browser: Browser,
  authenticator = createAuthenticator(origin()),
  deviation: Deviation = {},
): Promise<{ authenticator: SoftwareAuthenticator; status: number; body: Answer }> {
  const start = await post(browser, 'register/start', { current_password: testPassword })
  assert.equal(start.status, 200, start.body.detail)
  const credential = authenticator.create(start.body.options, deviation)
  const { status, body } = await post(browser, 'register/finish', { credential, device_name: 'Laptop' })
  return { authenticator, status, body }
}

async function login(authenticator: SoftwareAuthenticator, deviation: Deviation = {}, browser = sites.browser()) {
  const { body } = await post(browser, 'login/start')
  const answer = await post(browser, 'login/finish', { credential: authenticator.get(body.options, deviation) })
  return { ...answer, browser }
}

/** A new user with a passkey. */
async function userWithPasskey(name: string, counts = true) {
  const user = await sites.addUser(name, 'user')
  const browser = await sites.signInAs(name)
  const { authenticator, status, body } = await register(browser, createAuthenticator(origin(), { counts }))
  assert.equal(status, 200, body.detail)
  return { user, browser, authenticator, passkey: body.passkey }
}

test('a passkey is registered, listed, renamed, used and deleted', async () => {
  const { browser, authenticator, passkey } = await userWithPasskey('grace')
  assert.deepEqual(
    [passkey.device_name, passkey.transports, passkey.backed_up, passkey.last_used_at],
    ['Laptop', ['internal', 'hybrid'], false, null],
  )
  const other = await login(authenticator)
  assert.deepEqual([other.status, other.body.redirect_url], [200, '/'])
  const session = await other.browser.json<{ user: User; passkeys: number; csrf_token: string }>('GET', '/api/session')
  assert.deepEqual([session.body.user.username, session.body.passkeys], ['grace', 1])
  assert.equal(session.body.csrf_token, other.body.csrf_token)
  const renamed = await browser.json<Passkey>('PATCH', `/api/passkeys/${passkey.id}`, {
    json: { device_name: ' Phone ' },
  })
  assert.equal(renamed.body.device_name, 'Phone')
  const list = await browser.json<Passkey[]>('GET', '/api/passkeys')
  assert.deepEqual(
    list.body.map(({ id, device_name, last_used_at }) => [id, device_name, last_used_at !== null]),
    [[passkey.id, 'Phone', true]],
  )
  assert.doesNotMatch(JSON.stringify(list.body), /public_key|counter|credential/)
  assert.equal((await browser.call('DELETE', `/api/passkeys/${passkey.id}`)).status, 200)
  assert.equal((await login(authenticator)).status, 401)
  // Who removed it stays; who came in by it, perhaps on the device that is gone, does not.
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  assert.equal((await other.browser.call('GET', '/api/session')).status, 401)
})

test('the options require user verification and reveal nothing about the account', async () => {
  const { body } = await post(admin, 'register/start', { current_password: testPassword })
  const options = body.options as Creation
  assert.deepEqual(
    [options.rp.id, options.attestation, options.authenticatorSelection.userVerification],
    ['localhost', 'none', 'required'],
  )
  assert.equal(options.authenticatorSelection.residentKey, 'required')
  assert.equal(Buffer.from(options.user.id, 'base64url').length, 32)
  const again = await post(admin, 'register/start', { current_password: testPassword })
  assert.equal((again.body.options as Creation).user.id, options.user.id)
  const start = await post(sites.browser(), 'login/start')
  const request = start.body.options as Request
  assert.deepEqual([request.userVerification, request.allowCredentials ?? []], ['required', []])
  assert.equal(Buffer.from(request.challenge, 'base64url').length, 32)
})

test('own passkeys are excluded from registration; others’ cannot be read, changed or deleted', async () => {
  const { browser, authenticator, passkey } = await userWithPasskey('heidi')
  const { body } = await post(browser, 'register/start', { current_password: testPassword })
  const { excludeCredentials } = body.options as { excludeCredentials: { id: string }[] }
  assert.deepEqual(
    excludeCredentials.map(({ id }) => id),
    [authenticator.credentialId],
  )
  const known = await post(browser, 'register/finish', { credential: authenticator.create(body.options) })
  assert.deepEqual([known.status, known.body.code], [409, 'passkey_known'])
  assert.deepEqual((await admin.json<Passkey[]>('GET', '/api/passkeys')).body, [])
  const json = { device_name: 'Mine' }
  assert.equal((await admin.call('PATCH', `/api/passkeys/${passkey.id}`, { json })).status, 404)
  assert.equal((await admin.call('DELETE', `/api/passkeys/${passkey.id}`)).status, 404)
})

describe('a sign-in is refused', () => {
  let ivan: Awaited<ReturnType<typeof userWithPasskey>>
  before(async () => void (ivan = await userWithPasskey('ivan')))

  const refusals: Record<string, Deviation> = {
    'from another origin': { origin: 'http://evil.example' },
    'for another relying party': { rpId: 'evil.example' },
    'without verifying the user': { isUserVerified: false },
    'with a forged signature': { isForged: true },
    'for another user handle': { userHandle: Buffer.alloc(32).toString('base64url') },
    'without a user handle': { userHandle: '' },
    'of another kind': { type: 'webauthn.create' },
  }
  for (const [name, deviation] of Object.entries(refusals)) {
    test(name, async () => {
      const { status, body } = await login(ivan.authenticator, deviation)
      assert.deepEqual([status, body.detail], [401, 'The passkey was not accepted'])
    })
  }

  test('with an unknown passkey, with the same message', async () => {
    const stranger = createAuthenticator(origin())
    const { status, body } = await login(stranger, { userHandle: 'AAAA' })
    assert.deepEqual([status, body.detail], [401, 'The passkey was not accepted'])
    assert.match(lines.last(), /SECURITY sign-in failed client=10\.\S+ reason=invalid_passkey status=401/)
  })

  test('for a disabled account, until it is enabled again', async () => {
    const change = (is_active: boolean) => admin.call('PATCH', `/api/users/${ivan.user.id}`, { json: { is_active } })
    assert.equal((await change(false)).status, 200)
    assert.equal((await login(ivan.authenticator)).status, 401)
    assert.match(lines.last(), /reason=disabled_account status=401 username=ivan/)
    await change(true)
    assert.equal((await login(ivan.authenticator)).status, 200)
  })

  test('for a cloned passkey whose counter did not rise, and this is logged', async () => {
    const clone = ivan.authenticator.clone()
    assert.equal((await login(ivan.authenticator)).status, 200)
    assert.equal((await login(clone)).status, 401)
    assert.match(lines.last(), /reason=possible_clone status=401 username=ivan/)
    assert.equal((await login(ivan.authenticator, { counter: 0 })).status, 401)
    assert.equal((await login(ivan.authenticator)).status, 200)
  })

  test('but not for a passkey without a counter', async () => {
    const { authenticator, passkey } = await userWithPasskey('judy', false)
    assert.equal(passkey.backed_up, true)
    assert.equal((await login(authenticator)).status, 200)
    assert.equal((await login(authenticator)).status, 200)
  })
})

describe('a challenge', () => {
  let kim: Awaited<ReturnType<typeof userWithPasskey>>
  before(async () => void (kim = await userWithPasskey('kim')))

  const refused = ({ status, body }: { status: number; body: Answer }) =>
    assert.deepEqual([status, body.code], [400, 'challenge'])

  test('is valid once', async () => {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    const copy = browser.copy()
    assert.equal((await post(browser, 'login/finish', { credential: kim.authenticator.get(options) })).status, 200)
    refused(await post(copy, 'login/finish', { credential: kim.authenticator.get(options) }))
  })

  test('is used up by a failed attempt too', async () => {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    const bad = kim.authenticator.get(options, { isForged: true })
    assert.equal((await post(browser, 'login/finish', { credential: bad })).status, 401)
    refused(await post(browser, 'login/finish', { credential: kim.authenticator.get(options) }))
  })

  test('is accepted from one of two simultaneous attempts', async () => {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    const copies = [browser.copy(), browser.copy()]
    const credentials = copies.map(() => kim.authenticator.get(options))
    const statuses = await Promise.all(
      copies.map(async (copy, index) => (await post(copy, 'login/finish', { credential: credentials[index] })).status),
    )
    assert.deepEqual(
      statuses.sort((a, b) => a - b),
      [200, 400],
    )
  })

  test('is valid for two minutes', async () => {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    timers.jump(121_000)
    refused(await post(browser, 'login/finish', { credential: kim.authenticator.get(options) }))
  })

  test('belongs to the session that requested it', async () => {
    const victim = sites.browser()
    const { options } = (await post(victim, 'login/start')).body
    const attacker = sites.browser()
    await attacker.csrf()
    refused(await post(attacker, 'login/finish', { credential: kim.authenticator.get(options) }))
    assert.equal((await post(victim, 'login/finish', { credential: kim.authenticator.get(options) })).status, 200)
  })

  test('for registration signs nobody in, and one for sign-in registers nothing', async () => {
    const browser = await sites.signInAs('kim')
    const registering = (await post(browser, 'register/start')).body.options as { challenge: string }
    const signed = kim.authenticator.get({ challenge: registering.challenge, rpId: 'localhost' })
    refused(await post(browser, 'login/finish', { credential: signed }))
    const { challenge } = (await post(browser, 'login/start')).body.options as { challenge: string }
    const made = createAuthenticator(origin()).create({ ...registering, challenge })
    refused(await post(browser, 'register/finish', { credential: made }))
  })

  test('that the server did not issue is refused, and so is malformed client data', async () => {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    const made = kim.authenticator.get(options, { challenge: Buffer.alloc(32, 1).toString('base64url') })
    refused(await post(browser, 'login/finish', { credential: made }))
    const credential = kim.authenticator.get(options) as { response: object }
    const broken = { ...credential, response: { ...credential.response, clientDataJSON: 'AAAA' } }
    refused(await post(browser, 'login/finish', { credential: broken }))
  })

  test('is dropped as the oldest when a session has more than five', async () => {
    const browser = sites.browser()
    const first = (await post(browser, 'login/start')).body.options
    let last = first
    for (let index = 0; index < 5; index += 1) {
      timers.jump(10)
      last = (await post(browser, 'login/start')).body.options
    }
    refused(await post(browser, 'login/finish', { credential: kim.authenticator.get(first) }))
    assert.equal((await post(browser, 'login/finish', { credential: kim.authenticator.get(last) })).status, 200)
  })
})

test('a registration without user verification or from another origin is refused', async () => {
  const browser = await sites.signInAs('admin')
  for (const deviation of [{ isUserVerified: false }, { origin: 'https://evil.example' }, { rpId: 'evil.example' }]) {
    const { status, body } = await register(browser, createAuthenticator(origin()), deviation)
    assert.deepEqual([status, body.code], [400, 'passkey_invalid'])
  }
})

test('registering and deleting require a recent confirmation', async () => {
  const { authenticator, passkey } = await userWithPasskey('leo')
  const browser = await sites.signInAs('leo')
  assert.equal((await post(browser, 'register/start')).status, 200)
  timers.jump(301_000)
  const late = await post(browser, 'register/start')
  assert.deepEqual([late.status, late.body.code], [403, 'reauthentication_required'])
  const wrong = await post(browser, 'register/start', { current_password: 'not the password' })
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'wrong_password'])
  const remove = () => browser.json<Problem>('DELETE', `/api/passkeys/${passkey.id}`)
  assert.equal((await remove()).body.code, 'reauthentication_required')
  // A passkey proves it as well as the password does, in the same browser.
  assert.equal((await login(authenticator, {}, browser)).status, 200)
  assert.equal((await remove()).status, 200)
})

test('the last sign-in method cannot be deleted', async () => {
  const { browser, passkey } = await userWithPasskey('mallory')
  assert.equal((await browser.call('DELETE', '/api/session/password')).status, 200)
  const json = { username: 'mallory', password: testPassword }
  assert.equal((await sites.browser().call('POST', '/api/session', { json })).status, 401)
  const last = await browser.json<Problem>('DELETE', `/api/passkeys/${passkey.id}`)
  assert.deepEqual([last.status, last.body.code], [409, 'last_sign_in_method'])
  const set = await browser.call('POST', '/api/session/password', { json: { new_password: 'a quite new passphrase' } })
  assert.equal(set.status, 200)
  assert.equal((await browser.call('DELETE', `/api/passkeys/${passkey.id}`)).status, 200)
  const none = await browser.json<Problem>('DELETE', '/api/session/password')
  assert.deepEqual([none.status, none.body.code], [409, 'last_sign_in_method'])
})

test('an eleventh passkey is refused', async () => {
  await sites.addUser('nina', 'user')
  const browser = await sites.signInAs('nina')
  const { options } = (await post(browser, 'register/start')).body
  for (let index = 0; index < 10; index += 1) assert.equal((await register(browser)).status, 200)
  const start = await post(browser, 'register/start')
  assert.deepEqual([start.status, start.body.code], [409, 'too_many_passkeys'])
  // One that was begun before is too late as well.
  const finish = await post(browser, 'register/finish', { credential: createAuthenticator(origin()).create(options) })
  assert.deepEqual([finish.status, finish.body.code], [409, 'too_many_passkeys'])
})

test('under an IP address passkeys are unavailable, and the response says where they work', async () => {
  const start = await sites.browser().json<Problem>('POST', '/api/passkeys/login/start', { json: {} })
  assert.deepEqual([start.status, start.body.code], [409, 'passkeys_unavailable'])
  assert.match(start.body.detail, new RegExp(`under an IP address; open ${origin()}`))
})

test('a changed host name causes a warning while passkeys of the old one exist', async () => {
  await using published = await startSites({ PUBLIC_URL: 'https://a.example.org' }, { log: lines.log })
  await published.signIn()
  await published.restart({ PUBLIC_URL: 'https://b.example.org' })
  assert.doesNotMatch(lines.last(), /passkeys belong/)
  const b = createAuthenticator('https://b.example.org')
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'b.example.org', origin: 'https://b.example.org' }
  const browser = published.browser()
  const call = (path: string, json: object) => browser.json<Answer>('POST', path, { json, headers })
  browser.cookies.set('__Host-hearth_sites_session', '')
  const { token } = (await (await browser.call('GET', '/api/v1/csrf', { headers })).json()) as { token: string }
  const signIn = await browser.call('POST', '/api/session', {
    isBare: true,
    headers: { ...headers, 'x-csrf-token': token },
    json: { username: 'admin', password: testPassword },
  })
  const { csrf_token } = (await signIn.json()) as { csrf_token: string }
  Object.assign(headers, { 'x-csrf-token': csrf_token })
  const start = await call('/api/passkeys/register/start', {})
  assert.equal((await call('/api/passkeys/register/finish', { credential: b.create(start.body.options) })).status, 200)
  await published.restart({ PUBLIC_URL: 'https://c.example.org' })
  assert.match(lines.last(), /passkeys belong to c\.example\.org now: 1 made for b\.example\.org work only there/)
  // What nobody can sign in with any more is no way to sign in.
  const admin = await published.signInAs('admin')
  assert.equal((await admin.call('DELETE', '/api/session/password')).status, 409)
})

test('sign-in redirects only to a path of this service', async () => {
  const { authenticator } = await userWithPasskey('oscar')
  const wanted = {
    '/sites?page=2#top': '/sites?page=2#top',
    '//evil.example': '/',
    '/\\evil.example': '/',
    'https://evil.example': '/',
    '/\t/evil.example': '/',
  }
  for (const [next_url, redirect] of Object.entries(wanted)) {
    const browser = sites.browser()
    const { options } = (await post(browser, 'login/start')).body
    const { body } = await post(browser, 'login/finish', { credential: authenticator.get(options), next_url })
    assert.equal(body.redirect_url, redirect, next_url)
  }
})

test('a credential over 16 KiB is not read', async () => {
  const browser = sites.browser()
  const { options } = (await post(browser, 'login/start')).body
  const credential = createAuthenticator(origin()).get(options)
  const huge = { ...credential, clientExtensionResults: { padding: 'x'.repeat(17_000) } }
  assert.equal((await post(browser, 'login/finish', { credential: huge })).status, 413)
})
