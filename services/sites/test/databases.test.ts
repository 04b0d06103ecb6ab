import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPostgresDatabase, postgresObstacle, createAuthenticator } from '@hearth/testing'
import type { Session } from '../src/accounts/schema.ts'
import { startSites, testPassword, type Browser } from './in-process.ts'

/** Behaviour that depends on the database: locks, unique names, rows that are taken once, rows that go with a user. */
for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    const start = async () => startSites(kind === 'sqlite' ? {} : { DATABASE_URL: await createPostgresDatabase() })
    const sorted = async (answers: Promise<Response>[]) =>
      (await Promise.all(answers)).map(({ status }) => status).sort((a, b) => a - b)

    test('of two set-ups, or two users with one name, one succeeds', async () => {
      await using sites = await start()
      const token = sites.service.setUpToken()
      const setUp = (username: string) => ({ json: { token, username, password: testPassword } })
      const browsers = [sites.browser(), sites.browser()]
      assert.deepEqual(
        await sorted(browsers.map((browser, index) => browser.call('POST', '/api/setup', setUp(`admin${index}`)))),
        [200, 409],
      )
      const admin = browsers.find((browser) => browser.sessionKey()?.startsWith('v.') === false)
      assert.ok(admin !== undefined)
      const json = { username: 'grace', password: testPassword }
      assert.deepEqual(await sorted([1, 2, 3].map(() => admin.call('POST', '/api/users', { json }))), [201, 409, 409])
    })

    test('two administrators cannot delete each other at the same time', async () => {
      await using sites = await start()
      const first = await sites.signIn()
      const { id } = await sites.addUser('ada', 'admin')
      const ada = await sites.signInAs('ada')
      const { body } = await first.json<Session>('GET', '/api/session')
      await Promise.all([first.csrf(), ada.csrf()])
      const statuses = await sorted([
        first.call('DELETE', `/api/users/${id}`),
        ada.call('DELETE', `/api/users/${body.user.id}`),
      ])
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
    })

    test('of two sign-ins with one recovery code or challenge, one succeeds', async () => {
      await using sites = await start()
      const admin = await sites.signIn()
      const { body } = await admin.json<{ codes: string[] }>('POST', '/api/session/recovery-codes')
      const json = { username: 'admin', recovery_code: body.codes[0] }
      assert.deepEqual(
        await sorted([1, 2].map(() => sites.browser().call('POST', '/api/session', { json }))),
        [200, 401],
      )
      const headers = { origin: sites.url.replace('127.0.0.1', 'localhost') }
      const post = async (browser: Browser, step: string, more: object) => {
        const { body } = await browser.json<{ options: object }>('POST', `/api/passkeys/${step}`, {
          headers,
          json: more,
        })
        return body.options
      }
      const authenticator = createAuthenticator(headers.origin)
      const made = authenticator.create(await post(admin, 'register/start', {}))
      await post(admin, 'register/finish', { credential: made })
      const visitor = sites.browser()
      const options = await post(visitor, 'login/start', {})
      const copies = [visitor.copy(), visitor.copy()]
      const finishes = copies.map((copy) => {
        const credential = authenticator.get(options)
        return copy.call('POST', '/api/passkeys/login/finish', { headers, json: { credential } })
      })
      assert.deepEqual(await sorted(finishes), [200, 400])
    })

    test('deleting a user deletes everything of theirs', async () => {
      await using sites = await start()
      const admin = await sites.signIn()
      const { id } = await sites.addUser('grace', 'user')
      const grace = await sites.signInAs('grace')
      await grace.call('POST', '/api/session/recovery-codes')
      assert.equal((await admin.call('DELETE', `/api/users/${id}`)).status, 200)
      assert.equal((await grace.call('GET', '/api/session')).status, 401)
      const again = await sites.addUser('grace', 'user')
      assert.notEqual(again.id, id)
    })

    test('sessions, settings and attempt counts survive a restart', async () => {
      await using sites = await start()
      const admin = await sites.signIn()
      await admin.call('PATCH', '/api/v1/settings', { json: { grade_schedule: 'daily' } })
      const from = '198.51.100.1'
      const json = { username: 'nobody', password: 'guess' }
      for (let index = 0; index < 5; index += 1) await sites.browser().call('POST', '/api/session', { json, from })
      await sites.restart()
      const { body } = await admin.json<{ grade_schedule: string }>('GET', '/api/v1/settings')
      assert.equal(body.grade_schedule, 'daily')
      assert.equal((await sites.browser().call('POST', '/api/session', { json, from })).status, 429)
    })
  })
