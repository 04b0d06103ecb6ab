import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { StemStatus } from '../src/stems/schema.ts'
import { startMedia, type Media } from './in-process.ts'
import { startStemService, type StemService } from './stem-service/stem-service.ts'

const key = 'KEY-7f3a9c2e51d84b60'
const account = { email: 'someone@example.org', activation_key: key }

interface ErrorBody {
  detail: string
  error?: string
}

describe('the account at the stem service', () => {
  let stems: StemService
  let media: Media

  before(async () => {
    stems = await startStemService()
    media = await startMedia({ STEMSVC_BASE_URL: stems.url }, { timers: createFastTimers(10) })
    stems.account(key).minutes = 100
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await stems.close()
  })

  const status = async (query = '') => (await media.json<StemStatus>('GET', `/api/stemsvc/status${query}`)).body
  const signIn = (json: unknown = account) =>
    media.json<ErrorBody>('POST', '/api/stemsvc/auth/activation-key', { json })
  const signOut = () => media.json('POST', '/api/stemsvc/auth/logout')
  const questions = () => stems.calls.filter(({ path }) => path.includes('/minutes_left/')).length

  test('without a key nothing is requested', async () => {
    assert.deepEqual(await status('?force_refresh=true'), {
      ok: true,
      configured: false,
      email: null,
      token_valid: null,
      validation_error: null,
      validated_at: null,
      remaining_minutes: null,
    })
    assert.equal(stems.calls.length, 0)
  })

  test('a key is stored only if the service accepts it', async () => {
    for (const [json, reason] of [
      [{ ...account, email: 'nobody' }, /^email must be an e-mail address/],
      [{ ...account, activation_key: ' ' }, /^activation_key must have at least 1/],
      [{ ...account, activation_key: 'x'.repeat(1025) }, /^activation_key /],
      [{ ...account, plan: 'pro' }, /^plan /],
      [{ email: account.email }, /^activation_key /],
      [{ ...account, activation_key: 'WRONG' }, /^activation_key is not accepted by the stem service$/],
      [{ ...account, activation_key: 'not\na key' }, /^activation_key is not accepted/],
    ] as const) {
      const { status: code, body } = await signIn(json)
      assert.equal(code, 400, JSON.stringify(json))
      assert.match(body.detail, reason)
    }
    stems.account(key).hasApi = false
    const { status: code, body } = await signIn()
    assert.deepEqual([code, body.error], [400, 'plan'])
    stems.account(key).hasApi = true
    const bare = await media.call('POST', '/api/stemsvc/auth/activation-key', { json: account, isBare: true })
    assert.equal(bare.status, 403)
    assert.equal((await status()).configured, false)
  })

  test('a failing service is distinguished from a wrong key', async () => {
    for (const [fault, code] of [
      [{ resetAfterBytes: 0 }, 503],
      [{ answer: 429, body: { detail: 'slow down' } }, 503],
      [{ answer: 500 }, 502],
      [{ answer: 200, body: '<html>' }, 502],
      ['hang', 504],
    ] as const) {
      stems.fail('limits/minutes_left', fault)
      const answer = await signIn()
      assert.equal(answer.status, code, JSON.stringify(fault))
      assert.ok(!JSON.stringify(answer.body).includes(key))
    }
    assert.equal((await status()).configured, false)
  })

  test('of two keys stored at once one is kept, and the other is reported', async () => {
    const { promise, resolve: go } = Promise.withResolvers<void>()
    stems.fail('limits/minutes_left', { waitFor: promise })
    const before = questions()
    const first = signIn()
    await eventually(questions, (count) => count > before)
    stems.account('OTHER').minutes = 5
    assert.equal((await signIn({ ...account, activation_key: 'OTHER' })).status, 200)
    go()
    assert.equal((await first).status, 409)
    assert.equal((await status()).remaining_minutes, 5)
    await signOut()
  })

  test('a stored key is shown as configured, checked every five minutes, and never revealed', async () => {
    stems.account(key).minutes = 99.9
    assert.deepEqual((await signIn()).body, { ok: true, message: 'The key is good and stored' })
    const asked = questions()
    const first = await status()
    const { validated_at, ...rest } = first
    assert.deepEqual(rest, {
      ok: true,
      configured: true,
      email: account.email,
      token_valid: true,
      validation_error: null,
      remaining_minutes: 99,
    })
    assert.ok(validated_at !== null && validated_at > 1_700_000_000)
    assert.deepEqual(await status(), first)
    assert.equal(questions(), asked)
    stems.account(key).minutes = 80
    const all = await Promise.all(Array.from({ length: 5 }, () => status('?force_refresh=true')))
    assert.deepEqual(
      all.map(({ remaining_minutes }) => remaining_minutes),
      Array(5).fill(80),
    )
    assert.ok(questions() - asked < 5)
    const { query } = media.service.app.core.database
    assert.ok(!JSON.stringify(await query.selectFrom('settings').selectAll().execute()).includes(key))
    const settings = await (await media.call('GET', '/api/settings')).text()
    assert.doesNotMatch(settings, /stem_account|example\.org/)
  })

  test('an invalid key and an unreachable service appear in the status', async () => {
    stems.removeAccount(key)
    const wrong = await status('?force_refresh=true')
    assert.deepEqual([wrong.token_valid, wrong.remaining_minutes], [false, null])
    assert.match(wrong.validation_error ?? '', /does not accept the activation key/)
    stems.account(key).minutes = 100
    stems.fail('limits/minutes_left', { resetAfterBytes: 0 })
    const unknown = await status('?force_refresh=true')
    assert.deepEqual([unknown.token_valid, unknown.configured], [null, true])
    assert.match(unknown.validation_error ?? '', /cannot be reached/)
    assert.equal((await status('?force_refresh=true')).token_valid, true)
  })

  test('the account survives a restart and can be removed', async () => {
    await media.restart()
    assert.deepEqual([(await status()).email, (await status()).token_valid], [account.email, true])
    assert.deepEqual((await signOut()).body, { ok: true, message: 'The key is forgotten' })
    const { configured, email, token_valid } = await status()
    assert.deepEqual([configured, email, token_valid], [false, null, null])
    assert.equal((await signOut()).status, 200)
  })
})
