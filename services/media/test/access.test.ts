import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { OwnSession } from '@hearth/accounts/own-sessions'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { createFastTimers } from '@hearth/runtime'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { sessionCookie } from '../src/access.ts'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { startMedia, type Media } from './in-process.ts'

interface Answer {
  ok?: boolean
  detail?: string
  redirect?: string
}

const account = { username: 'ada', password: 'correct horse battery' }

/** The fields the sign-in page holds. */
async function openSignIn(media: Media): Promise<string> {
  const response = await media.call('GET', '/login')
  assert.equal(response.status, 200)
  return /name="captcha_token" value="([^"]+)"/.exec(await response.text())?.[1] ?? ''
}

describe('without sign-in', () => {
  let media: Media
  before(async () => void (media = await startMedia()))
  after(() => media[Symbol.asyncDispose]())

  test('everything is open, and writes still need the CSRF token', async () => {
    assert.deepEqual((await media.json('GET', '/api/jobs')).body, [])
    assert.deepEqual((await media.json('GET', '/health')).body, { status: 'ok' })
    for (const headers of [{}, { 'x-csrf-token': 'wrong' }]) {
      const { status, body } = await media.json<Answer>('POST', '/api/stats/reset', { isBare: true, headers })
      assert.deepEqual([status, /CSRF/.test(body.detail ?? '')], [403, true])
    }
    const form = { url: 'x', type: 'audio', quality: 'max' }
    await media.call('GET', '/api/session')
    const token = media.cookies.get(csrfCookie) ?? ''
    const inField = await media.call('POST', '/api/submit', { isBare: true, form: { ...form, csrf_token: token } })
    assert.equal(inField.status, 400)
    const wrongField = await media.call('POST', '/api/submit', { isBare: true, form: { ...form, csrf_token: 'no' } })
    assert.equal(wrongField.status, 403)
    // A pair that somebody planted is no token of ours.
    const planted = await fetch(`${media.url}/api/stats/reset`, {
      method: 'POST',
      headers: { cookie: `${csrfCookie}=planted.planted`, 'x-csrf-token': 'planted.planted' },
    })
    assert.equal(planted.status, 403)
    const cross = await media.call('POST', '/api/stats/reset', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.equal(cross.status, 403)
  })

  test('the sign-in page redirects, and signing in succeeds', async () => {
    const page = await media.call('GET', '/login')
    assert.deepEqual([page.status, page.headers.get('location')], [303, '/'])
    const json = { ...account, captcha_token: 'x', honeypot: '' }
    assert.equal((await media.json<Answer>('POST', '/login', { json })).body.ok, true)
  })

  test('requests under a foreign host name are refused', async () => {
    const statusFor = (host: string) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(media.url)
        request({ hostname, port, path: '/api/jobs', headers: { host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
          .on('error', reject)
          .end()
      })
    assert.deepEqual(
      await Promise.all(['rebound.example', 'localhost', '127.0.0.1:8103', '[::1]:8103'].map(statusFor)),
      [403, 200, 200, 200],
    )
    await media.json('POST', '/api/settings', { json: { public_hostname: 'media.example' } })
    assert.equal(await statusFor('media.example'), 200)
  })

  test('a publicly reachable address is refused unless allowed explicitly', async () => {
    await using folder = await temporaryDirectory()
    const environment = { DATA_DIR: folder.path, BIND_PORT: '0', BIND_ADDRESS: '0.0.0.0' }
    const { code, stderr } = await runCommand(['media', 'serve'], environment)
    assert.equal(code, 1)
    assert.match(stderr, /^hearth: BIND_ADDRESS: sign-in is off[^\n]*\n$/)
  })
})

describe('with sign-in', () => {
  let media: Media
  const timers = createFastTimers(1)
  /** Faster than this no person fills in a form. */
  const trapTime = () => timers.jump(1050)
  before(async () => {
    media = await startMedia({}, { timers })
    const early = await media.json<Answer>('POST', '/api/settings', { json: { enable_authentication: true } })
    assert.deepEqual([early.status, /admin_username/.test(early.body.detail ?? '')], [400, true])
    const half = await media.json<Answer>('POST', '/api/settings', { json: { admin_username: 'ada' } })
    assert.deepEqual([half.status, /admin_password/.test(half.body.detail ?? '')], [400, true])
    const { body } = await media.json<Answer>('POST', '/api/settings', {
      json: { enable_authentication: true, admin_username: account.username, admin_password: account.password },
    })
    assert.deepEqual([body.ok, body.redirect], [true, '/login'])
  })
  after(() => media[Symbol.asyncDispose]())

  const signIn = async (more: Record<string, string> = {}) => {
    media.cookies.clear()
    const captcha_token = await openSignIn(media)
    trapTime()
    return media.json<Answer>('POST', '/login', { json: { ...account, captcha_token, honeypot: '', ...more } })
  }

  test('without a session only public routes respond', async () => {
    media.cookies.clear()
    for (const path of [
      '/api/jobs',
      '/events',
      '/api/settings',
      '/audio-source/x',
      '/openapi.json',
      '/docs',
      '/download/x',
    ])
      assert.equal((await media.call('GET', path)).status, 401, path)
    for (const path of ['/', '/settings', '/job/x', '/download/x', '/docs']) {
      const response = await media.call('GET', path, { headers: { accept: 'text/html' } })
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/login'], path)
    }
    const shared = await media.call('GET', '/?url=https%3A%2F%2Fexample.org%2Fa%3Fb', {
      headers: { accept: 'text/html' },
    })
    assert.equal(shared.headers.get('location'), '/login?next=%2F%3Furl%3Dhttps%253A%252F%252Fexample.org%252Fa%253Fb')
    assert.equal((await media.call('GET', '/health')).status, 200)
    assert.equal((await media.call('GET', '/share/unknown1')).status, 404)
    const { body } = await media.json<Record<string, unknown>>('GET', '/api/session')
    assert.deepEqual([body['authentication'], body['username'], body['is_open']], [true, null, false])
    assert.equal(JSON.stringify(body).includes('ada'), false)
  })

  test('the right name and password open a session; all failures get the same message', async () => {
    const wrong = await signIn({ password: 'wrong password' })
    const unknown = await signIn({ username: 'eve' })
    assert.deepEqual([wrong.status, wrong.body], [401, unknown.body])
    const { status, body } = await signIn()
    assert.deepEqual([status, body], [200, { ok: true, redirect: '/' }])
    assert.equal((await media.call('GET', '/api/jobs')).status, 200)
    assert.deepEqual((await media.json<Record<string, unknown>>('GET', '/api/session')).body['username'], 'ada')
    const settings = JSON.stringify((await media.json('GET', '/api/settings')).body)
    assert.doesNotMatch(settings, /ada|argon|hash/)
    const loginPage = await media.call('GET', '/login')
    assert.equal(loginPage.status, 303)
  })

  test('a form sign-in redirects, and its cookie is bound to this host', async () => {
    media.cookies.clear()
    const captcha_token = await openSignIn(media)
    trapTime()
    const form = { ...account, captcha_token, website: '', csrf_token: media.cookies.get(csrfCookie) ?? '' }
    const response = await media.call('POST', '/login', { form, isBare: true })
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/'])
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith(sessionCookie)) ?? ''
    assert.match(cookie, /HttpOnly/i)
    assert.match(cookie, /SameSite=Lax/i)
  })

  test('bots are detected: too fast, a filled honeypot, a reused or forged token', async () => {
    media.cookies.clear()
    const early = await openSignIn(media)
    const send = (captcha_token: string, honeypot = '') =>
      media.json<Answer>('POST', '/login', { json: { ...account, captcha_token, honeypot } })
    assert.equal((await send(early)).status, 400)
    trapTime()
    assert.equal((await send(early, 'http://spam')).status, 400)
    assert.equal((await send(`${early}x`)).status, 400)
    assert.equal((await send(early)).status, 200)
    media.cookies.delete(sessionCookie)
    await media.call('GET', '/login')
    const again = await send(early)
    assert.deepEqual([again.status, again.body.detail], [400, (await send('1.2.3.4')).body.detail])
  })

  test('a token from before sign-in is invalid afterwards', async () => {
    media.cookies.clear()
    await openSignIn(media)
    const visitor = media.cookies.get(csrfCookie) ?? ''
    await signIn()
    const session = media.cookies.get(sessionCookie) ?? ''
    const response = await fetch(`${media.url}/api/stats/reset`, {
      method: 'POST',
      headers: { cookie: `${sessionCookie}=${session}; ${csrfCookie}=${visitor}`, 'x-csrf-token': visitor },
    })
    assert.equal(response.status, 403)
  })

  test('signing out ends the session, and its streams shortly after', async () => {
    await signIn()
    const session = media.cookies.get(sessionCookie) ?? ''
    const stream = await fetch(`${media.url}/events`, { headers: { cookie: `${sessionCookie}=${session}` } })
    const heard = new Response(stream.body).text()
    const out = await media.call('POST', '/logout')
    assert.deepEqual([out.status, out.headers.get('location')], [303, '/login'])
    const late = await fetch(`${media.url}/api/jobs`, { headers: { cookie: `${sessionCookie}=${session}` } })
    assert.equal(late.status, 401)
    assert.match(await heard, /authentication_required/)
  })

  test('the account lists its sessions, this one first, and ends another', async () => {
    await signIn()
    const phone = media.cookies.get(sessionCookie) ?? ''
    await signIn()
    const { sessions } = (await media.json<{ sessions: OwnSession[] }>('GET', '/api/sessions')).body
    const [current, other] = sessions
    assert.deepEqual([current?.is_current, other?.is_current], [true, false])
    assert.ok(current?.address, 'an address is shown')
    const end = () => media.json('DELETE', `/api/sessions/${other?.id}`)
    assert.equal((await end()).status, 200)
    const late = await fetch(`${media.url}/api/jobs`, { headers: { cookie: `${sessionCookie}=${phone}` } })
    assert.equal(late.status, 401)
    assert.equal((await end()).status, 404)
    assert.equal((await media.call('GET', '/api/jobs')).status, 200)
  })

  test('sign-ins, refusals and new credentials are in the security log', async () => {
    await signIn({ password: 'a wrong guess' })
    await signIn({ username: 'hunter2-typed-here' })
    await signIn()
    const { events } = (await media.json<{ events: SecurityEvent[] }>('GET', '/api/security-log?limit=100')).body
    const found = events.map(({ kind, username, method, reason, target, detail }) =>
      [kind, username, method, reason, target, detail].join('|'),
    )
    for (const expected of [
      'sign_in|ada|password|||',
      'sign_in_failed|ada||invalid_credentials||',
      'sign_in_failed|||invalid_credentials||',
      'password_changed||||ada|',
      'rights_changed||||sign-in|required',
    ])
      assert.ok(found.includes(expected), `${expected} is missing in ${found.join('\n')}`)
    assert.ok(!JSON.stringify(events).includes('hunter2'), 'a name that nobody has is stored')
    const file = await media.call('GET', '/api/security-log.jsonl?kind=password_changed')
    assert.match(await file.text(), /^\{[^\n]*"target":"ada"[^\n]*\}\n/)
  })

  test('an unused session ends as configured, and new credentials end all sessions', async () => {
    await signIn()
    timers.jump(61 * 60_000)
    assert.equal((await media.call('GET', '/api/jobs')).status, 401)
    await signIn()
    const json = { admin_username: 'ada', admin_password: 'another good password' }
    assert.equal((await media.json<Answer>('POST', '/api/settings', { json })).body.redirect, '/login')
    assert.equal((await media.call('GET', '/api/jobs')).status, 401)
    assert.equal((await signIn()).status, 401)
    assert.equal((await signIn({ password: 'another good password' })).status, 200)
  })

  test('guessing is slowed down per name, from any address', async () => {
    for (let index = 0; index < 4; index++) await signIn({ username: 'grace', password: `guess ${index}` })
    const { status } = await signIn({ username: 'grace' })
    assert.equal(status, 429)
  })
})
