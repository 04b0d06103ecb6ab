import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nextAddress } from './cookie-client.ts'
import { createAuthenticator, type Deviation, type SoftwareAuthenticator } from './software-authenticator.ts'
import { createVisitor, type Visitor, type VisitorReply } from './visitor.ts'

/** A running service with an account that passkeys and recovery codes are made for. */
export interface SignInMethodFixture extends AsyncDisposable {
  /** Address of the service under `127.0.0.1`; passkeys work at `localhost`. */
  readonly url: string
  /** What precedes `/passkeys`, such as `/api`. */
  readonly prefix: string
  readonly username: string
  readonly password: string
  /** Signs the account in with its password. */
  signIn(visitor: Visitor): Promise<void>
  /** Resolves to true while the visitor's session is good. */
  isSignedIn(visitor: Visitor): Promise<boolean>
}

/** A browser at the name that passkeys belong to; some services put an answer into the envelope `data`. */
export function createPasskeyVisitor({ url, prefix }: Pick<SignInMethodFixture, 'url' | 'prefix'>) {
  const visitor = createVisitor(url)
  const origin = url.replace('127.0.0.1', 'localhost')
  const send = async (method: string, path: string, json?: object): Promise<VisitorReply> => {
    // Attempts are counted by address, and have their own tests.
    const headers = { origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': nextAddress() }
    const reply = await visitor.send(method, `${prefix}${path}`, { ...(json !== undefined && { json }), headers })
    return { ...reply, body: reply.status === 200 ? (reply.body?.data ?? reply.body) : reply.body }
  }
  const post = (path: string, json: object = {}) => send('POST', path, json)
  return {
    visitor,
    origin,
    post,
    get: (path: string) => send('GET', path),
    rename: (id: string, device_name: string) => send('PATCH', `/passkeys/${id}`, { device_name }),
    async register(password: string, authenticator = createAuthenticator(origin), deviation: Deviation = {}) {
      const start = await post('/passkeys/register/start', { current_password: password })
      if (start.status !== 200) return { authenticator, reply: start }
      const credential = authenticator.create(start.body.options, deviation)
      return { authenticator, reply: await post('/passkeys/register/finish', { credential, device_name: 'Laptop' }) }
    },
    async signIn(authenticator: SoftwareAuthenticator, deviation: Deviation = {}) {
      const { body } = await post('/passkeys/login/start')
      return post('/passkeys/login/finish', { credential: authenticator.get(body.options, deviation) })
    },
  }
}
export type PasskeyVisitor = ReturnType<typeof createPasskeyVisitor>

/** Tests what is the same in every service whose users always have a password. */
export function testSignInMethods(open: () => Promise<SignInMethodFixture>): void {
  let fixture: SignInMethodFixture
  before(async () => void (fixture = await open()))
  after(() => fixture?.[Symbol.asyncDispose]())

  const browser = () => createPasskeyVisitor(fixture)
  const signedIn = async () => {
    const opened = browser()
    await fixture.signIn(opened.visitor)
    return opened
  }

  test('a passkey is made with the password, signs in elsewhere, is renamed and removed with the password', async () => {
    const { password } = fixture
    const owner = await signedIn()
    const wrong = await owner.register('not the password')
    assert.match(wrong.reply.text, /current_password is not right/)
    const { authenticator, reply } = await owner.register(password)
    assert.equal(reply.status, 200, reply.text)
    const other = browser()
    const entered = await other.signIn(authenticator)
    assert.equal(entered.status, 200, entered.text)
    assert.equal(await fixture.isSignedIn(other.visitor), true)
    assert.equal((await owner.rename(reply.body.id, ' Phone ')).body.device_name, 'Phone')
    const [listed] = (await owner.get('/passkeys')).body.passkeys
    assert.deepEqual([listed.id, listed.device_name, listed.last_used_at !== null], [reply.body.id, 'Phone', true])
    assert.doesNotMatch(JSON.stringify(listed), /public_key|counter|credential/)
    const path = `/passkeys/${reply.body.id}/remove`
    assert.match((await owner.post(path, { current_password: 'guessed' })).text, /current_password is not right/)
    const removed = await owner.post(path, { current_password: password })
    assert.deepEqual(removed.body, { passkeys: [] }, removed.text)
    assert.equal(await fixture.isSignedIn(owner.visitor), true)
    assert.equal(await fixture.isSignedIn(other.visitor), false)
    assert.equal((await browser().signIn(authenticator)).status, 401)
    assert.equal((await owner.post(path, { current_password: password })).status, 404)
  })

  test('a sign-in by passkey belongs to its browser and counts once', async () => {
    const { authenticator, reply } = await (await signedIn()).register(fixture.password)
    assert.equal(reply.status, 200, reply.text)
    const [victim, attacker] = [browser(), browser()]
    const { options } = (await victim.post('/passkeys/login/start')).body
    await attacker.post('/passkeys/login/start')
    const finish = (from: PasskeyVisitor) =>
      from.post('/passkeys/login/finish', { credential: authenticator.get(options) })
    for (const stranger of [attacker, browser()]) {
      const refused = await finish(stranger)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /challenge/)
    }
    const [name = '', key = ''] = [...victim.visitor.cookies].find(([name]) => name.endsWith('_passkey')) ?? []
    assert.match(key, /^[\w-]{43}$/)
    assert.equal((await finish(victim)).status, 200)
    victim.visitor.cookies.set(name, key)
    assert.equal((await finish(victim)).status, 400)
  })

  const refusals: Record<string, Deviation> = {
    'from another origin': { origin: 'http://evil.example' },
    'for another relying party': { rpId: 'evil.example' },
    'without verifying the user': { isUserVerified: false },
    'with a forged signature': { isForged: true },
    'for another user handle': { userHandle: Buffer.alloc(32).toString('base64url') },
  }
  for (const [name, deviation] of Object.entries(refusals))
    test(`a passkey is refused ${name}`, async () => {
      const { authenticator, reply } = await (await signedIn()).register(fixture.password)
      assert.equal(reply.status, 200, reply.text)
      const refused = browser()
      assert.equal((await refused.signIn(authenticator, deviation)).status, 401)
      assert.equal(await fixture.isSignedIn(refused.visitor), false)
      assert.equal((await browser().signIn(authenticator)).status, 200)
    })

  test('no passkey is offered or made at an address that none belongs to', async () => {
    const lost = createPasskeyVisitor(fixture)
    const start = await lost.visitor.send('POST', `${fixture.prefix}/passkeys/login/start`, { json: {} })
    assert.equal(start.status, 409, start.text)
    assert.match(start.text, /passkeys_unavailable/)
    assert.match(start.text, /open http:\/\/localhost:/)
  })

  test('recovery codes are made with the password, each signs in once, and new ones replace the old', async () => {
    const { username, password } = fixture
    const owner = await signedIn()
    assert.match(
      (await owner.post('/recovery-codes', { current_password: 'guessed' })).text,
      /current_password is not right/,
    )
    const { codes } = (await owner.post('/recovery-codes', { current_password: password })).body
    assert.equal(codes.length, 10)
    const recover = (code: string, from = browser()) =>
      from.post('/session/recovery', { username, recovery_code: code })
    const entered = browser()
    const answer = await recover(codes[0].toUpperCase().replaceAll('-', ' '), entered)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await fixture.isSignedIn(entered.visitor), true)
    assert.equal((await recover(codes[0])).status, 401)
    assert.deepEqual((await owner.get('/recovery-codes')).body, { left: 9 })
    const next = (await owner.post('/recovery-codes', { current_password: password })).body.codes
    assert.equal((await recover(codes[1])).status, 401)
    assert.equal((await recover(next[1])).status, 200)
  })
}
