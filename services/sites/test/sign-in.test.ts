import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import type { Session } from '../src/accounts/schema.ts'
import { startSites, testPassword, type Sites } from './in-process.ts'
import { createLogLines } from './log-lines.ts'

interface Problem {
  detail: string
  code?: string
}

const timers = createFastTimers(1)
const lines = createLogLines()
let sites: Sites
before(async () => {
  sites = await startSites({}, { timers, log: lines.log })
  await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const attempt = (json: object, browser = sites.browser()) =>
  browser.json<Problem & Session>('POST', '/api/session', { json })
const recover = (username: string, recovery_code: string) => attempt({ username, recovery_code })

async function setActive(id: string, is_active: boolean): Promise<void> {
  const admin = await sites.signIn()
  assert.equal((await admin.call('PATCH', `/api/users/${id}`, { json: { is_active } })).status, 200)
}

/** A user with ten recovery codes. */
async function userWithCodes(name: string) {
  const user = await sites.addUser(name, 'user')
  const browser = await sites.signInAs(name)
  const { body } = await browser.json<{ codes: string[] }>('POST', '/api/session/recovery-codes')
  return { user, browser, codes: body.codes }
}

test('a wrong name and a wrong password get the same message and are logged without the password', async () => {
  const from = '198.51.100.7'
  const send = (json: object) => sites.browser().json<Problem>('POST', '/api/session', { json, from })
  const wrong = await send({ username: 'Admin', password: 'guess number one' })
  assert.equal(
    lines.last(),
    `SECURITY sign-in failed client=${from} reason=invalid_credentials status=401 username=admin`,
  )
  const unknown = await send({ username: 'nobody', password: testPassword })
  assert.deepEqual([wrong.status, wrong.body], [401, unknown.body])
  const spoof = 'x client=1.2.3.4\nSECURITY sign-in failed'
  await send({ username: spoof, password: 'guess number one' })
  assert.match(
    lines.last(),
    /^SECURITY sign-in failed client=198\.51\.100\.7 reason=\S+ status=401 username=[\w.@?-]+$/,
  )
  assert.doesNotMatch(lines.all.join('\n'), /guess|giraffe/)
})

test('a disabled account is refused like a wrong password', async () => {
  const { id } = await sites.addUser('ivan', 'user')
  const browser = await sites.signInAs('ivan')
  await setActive(id, false)
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
  const refused = await attempt({ username: 'ivan', password: testPassword })
  const wrong = await attempt({ username: 'ivan', password: 'guess' })
  assert.deepEqual([refused.status, refused.body], [401, wrong.body])
  assert.match(lines.all.at(-2) ?? '', /reason=disabled_account status=401 username=ivan$/)
  await setActive(id, true)
  assert.equal((await attempt({ username: 'ivan', password: testPassword })).status, 200)
})

describe('guessing', () => {
  test('is blocked per account from any address, also across a restart', async () => {
    await sites.addUser('judy', 'user')
    const right = { username: 'judy', password: testPassword }
    for (let index = 0; index < 5; index += 1) {
      assert.equal((await attempt({ username: ' JUDY', password: `guess ${index}` })).status, 401)
    }
    const refused = await attempt(right)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.match(lines.last(), /reason=rate_limited status=429 username=judy$/)
    await sites.restart()
    assert.equal((await attempt(right)).status, 429)
    // Others are not held up.
    await sites.signInAs('admin')
    timers.jump(61_000)
    assert.equal((await attempt(right)).status, 200)
  })

  test('is limited to twenty attempts an hour', async () => {
    await sites.addUser('kim', 'user')
    for (let minute = 0; minute < 4; minute += 1) {
      for (let index = 0; index < 5; index += 1) await attempt({ username: 'kim', password: `guess ${index}` })
      timers.jump(61_000)
    }
    const refused = await attempt({ username: 'kim', password: testPassword })
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 3000)
    timers.jump(3_600_000)
    assert.equal((await attempt({ username: 'kim', password: testPassword })).status, 200)
  })

  test('is limited for simultaneous attempts too', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) => (await attempt({ username: 'lurker', password: `guess ${index}` })).status,
      ),
    )
    assert.equal(statuses.filter((status) => status === 401).length, 5)
  })

  test('of the own password from an open session is blocked too', async () => {
    await sites.addUser('leo', 'user')
    const browser = await sites.signInAs('leo')
    const confirm = (password: string) => browser.call('POST', '/api/session/reauthenticate', { json: { password } })
    for (let index = 0; index < 5; index += 1) assert.equal((await confirm(`guess ${index}`)).status, 400)
    assert.equal((await confirm(testPassword)).status, 429)
    // Signing in is counted apart, so that nobody at the sign-in page can keep a user from confirming.
    await sites.signInAs('leo')
  })

  test('successful sign-ins never lock the account', async () => {
    await sites.addUser('mallory', 'user')
    for (let index = 0; index < 8; index += 1) await sites.signInAs('mallory')
  })
})

describe('a recovery code', () => {
  test('is one of ten, shown once', async () => {
    const { browser, codes } = await userWithCodes('nina')
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    const { body } = await browser.json<Session>('GET', '/api/session')
    assert.equal(body.recovery_codes_left, 10)
  })

  test('signs in once, however it is typed', async () => {
    const { codes } = await userWithCodes('oscar')
    const [code = ''] = codes
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ')}`
    const first = await recover('oscar', typed)
    assert.deepEqual([first.status, first.body.recovery_codes_left], [200, 9])
    const again = await recover('oscar', code)
    assert.equal(again.status, 401)
    assert.match(lines.last(), /reason=invalid_recovery_code status=401 username=oscar$/)
    assert.equal((await recover('admin', codes[1] ?? '')).status, 401)
    assert.equal((await recover('oscar', codes[1] ?? '')).status, 200)
    // It resets nothing.
    await sites.signInAs('oscar')
  })

  test('signs in one of two simultaneous attempts', async () => {
    const { codes } = await userWithCodes('peggy')
    const [code = ''] = codes
    const statuses = await Promise.all([1, 2].map(async () => (await recover('peggy', code)).status))
    assert.deepEqual(
      statuses.sort((a, b) => a - b),
      [200, 401],
    )
  })

  test('allows a new password without the old one for five minutes', async () => {
    const { codes } = await userWithCodes('rupert')
    const change = { new_password: 'a quite new passphrase' }
    const browser = sites.browser()
    assert.equal((await attempt({ username: 'rupert', recovery_code: codes[0] }, browser)).status, 200)
    timers.jump(301_000)
    assert.equal((await browser.call('POST', '/api/session/password', { json: change })).status, 422)
    const soon = sites.browser()
    assert.equal((await attempt({ username: 'rupert', recovery_code: codes[1] }, soon)).status, 200)
    assert.equal((await soon.call('POST', '/api/session/password', { json: change })).status, 200)
    await sites.signInAs('rupert', change.new_password)
  })

  test('is not used up while the account is disabled, and becomes invalid when new ones are made', async () => {
    const { user, codes } = await userWithCodes('sybil')
    const [code = ''] = codes
    await setActive(user.id, false)
    assert.equal((await recover('sybil', code)).status, 401)
    await setActive(user.id, true)
    assert.equal((await recover('sybil', code)).status, 200)
    const browser = await sites.signInAs('sybil')
    const fresh = await browser.json<{ codes: string[] }>('POST', '/api/session/recovery-codes')
    assert.equal((await recover('sybil', codes[1] ?? '')).status, 401)
    assert.equal((await recover('sybil', fresh.body.codes[0] ?? '')).status, 200)
  })

  test('cannot be combined with a password, and one of the two is required', async () => {
    for (const more of [{}, { password: 'x', recovery_code: 'x' }])
      assert.equal((await attempt({ username: 'admin', ...more })).status, 422)
  })
})
