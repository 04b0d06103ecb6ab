import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, createManualClock, parseSettings } from '@hearth/runtime'
import { startOpenIdProvider, type OpenIdProvider, type ProviderOptions } from '@hearth/testing/openid-provider'
import { z } from 'zod'
import { OpenId } from './openid.ts'
import { OpenIdError, type OpenIdFailure } from './openid-error.ts'
import { openIdConfig, openIdSettings } from './settings.ts'

const publicUrl = 'https://house.example.org'
const path = '/api/openid'
const key = Buffer.alloc(32, 7)

async function startProvider(options: Partial<ProviderOptions> = {}): Promise<OpenIdProvider> {
  return startOpenIdProvider({ publicUrl, path, ...options })
}

function openFor(provider: OpenIdProvider, settings: Record<string, string> = {}) {
  const clock = createManualClock(Date.now())
  const schema = z.object({ ...openIdSettings, PUBLIC_URL: z.string() })
  const { openId: config } = openIdConfig(parseSettings(schema, { ...provider.settings, ...settings }))
  assert.ok(config)
  const dependencies = {
    clock,
    path,
    sealer: createSealer(key),
    log: createLog({ name: 'test', level: 'silent' }),
    allow: createOutboundAllow([]),
  }
  return { clock, openId: new OpenId(config, dependencies) }
}

const once = { mustAskAgain: false }

/** Signs the provider's person in, and returns who it was. */
async function signIn(openId: OpenId, provider: OpenIdProvider, next?: string) {
  const { url, cookie } = await openId.start(next, once)
  return openId.finish((await provider.visit(url)).search, cookie)
}

const failure = (reason: OpenIdFailure) => (error: unknown) => {
  assert.ok(error instanceof OpenIdError, String(error))
  assert.equal(error.reason, reason, error.message)
  return true
}

for (const claimsInToken of [false, true])
  test(`a person of an allowed group signs in, with claims ${claimsInToken ? 'in the ID token' : 'from userinfo'}`, async () => {
    await using provider = await startProvider({ claimsInToken })
    const { openId } = openFor(provider)
    const { identity, next } = await signIn(openId, provider, '/peers?tab=2')
    assert.deepEqual(identity, {
      issuer: provider.issuer,
      subject: 'p-1',
      name: 'maria',
      username: 'maria',
      email: 'maria@example.org',
      role: 'user',
    })
    assert.equal(next, '/peers?tab=2')
    provider.person = { ...provider.person, groups: ['admins'] }
    assert.equal((await signIn(openId, provider)).identity.role, 'admin')
    assert.equal(provider.requested.includes('/me'), !claimsInToken)
    const discoveries = provider.requested.filter((url) => url.endsWith('openid-configuration'))
    assert.equal(discoveries.length, 1)
  })

test('groups decide who is let in; without groups of administrators nothing is said of roles', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  for (const groups of [[], ['guests'], 'guests', undefined, { family: true }, [['family']]]) {
    provider.person = { sub: 'p-2', preferred_username: 'eve', groups }
    await assert.rejects(signIn(openId, provider), failure('openid_not_allowed'))
  }
  provider.person = { sub: 'p-2', preferred_username: 'eve', groups: 'family' }
  assert.equal((await signIn(openId, provider)).identity.role, 'user')
  const everyone = openFor(provider, { OIDC_ALLOWED_GROUPS: '*', OIDC_ADMIN_GROUPS: '' })
  provider.person = { sub: 'p-3', preferred_username: 'guest' }
  assert.equal((await signIn(everyone.openId, provider)).identity.role, undefined)
})

test('a sign-in declined at the provider is no attack, and the provider’s words are not repeated', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  provider.decision = 'decline'
  await assert.rejects(signIn(openId, provider), (error: Error) => {
    assert.doesNotMatch(error.message, /said no/)
    return failure('openid_cancelled')(error)
  })
})

test('an answer is accepted once, in the browser that asked, within ten minutes', async () => {
  await using provider = await startProvider()
  const { openId, clock } = openFor(provider)
  const { url, cookie } = await openId.start('/', once)
  const { search } = await provider.visit(url)
  await assert.rejects(openId.finish(search, undefined), failure('openid_expired'))
  await assert.rejects(openId.finish(search, `${cookie.slice(0, -2)}xx`), failure('openid_expired'))
  const other = await openId.start('/', once)
  await assert.rejects(openId.finish(search, other.cookie), failure('openid_invalid'))
  await assert.rejects(openId.finish('?code=made-up&state=made-up', cookie), failure('openid_invalid'))
  await openId.finish(search, cookie)
  await assert.rejects(openId.finish(search, cookie), failure('openid_invalid'))
  const late = await openId.start('/', once)
  const answer = await provider.visit(late.url)
  clock.advance(600_001)
  await assert.rejects(openId.finish(answer.search, late.cookie), failure('openid_expired'))
})

test('a cookie of another service with the same key does not open', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  const other = openFor(provider, { PUBLIC_URL: 'https://other.example.org' })
  const { cookie } = await other.openId.start('/', once)
  const { search } = await provider.visit((await openId.start('/', once)).url)
  await assert.rejects(openId.finish(search, cookie), failure('openid_expired'))
})

describe('an ID token is refused', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const cases: [string, Partial<Pick<OpenIdProvider, 'alterToken' | 'isForged'>>][] = [
    ['signed by another key', { isForged: true }],
    ['with another nonce', { alterToken: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['without a nonce', { alterToken: (claims) => ({ ...claims, nonce: undefined }) }],
    ['of another issuer', { alterToken: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['for another client', { alterToken: (claims) => ({ ...claims, aud: 'another' }) }],
    ['that ran out two minutes ago', { alterToken: (claims) => ({ ...claims, exp: seconds() - 120 }) }],
    ['that is good in two minutes', { alterToken: (claims) => ({ ...claims, nbf: seconds() + 120 }) }],
  ]
  for (const [name, change] of cases)
    test(name, async () => {
      await using provider = await startProvider()
      const { openId } = openFor(provider)
      Object.assign(provider, change)
      await assert.rejects(signIn(openId, provider), failure('openid_invalid'))
    })
})

test('clocks may differ by some seconds', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  for (const skew of [-30, 30]) {
    const now = Math.floor(Date.now() / 1000) + skew
    provider.alterToken = (claims) => ({ ...claims, iat: now, exp: now + 10, nbf: now })
    assert.equal((await signIn(openId, provider)).identity.subject, 'p-1')
  }
})

test('a provider that is down is named as such, at the start and at the end', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  const { url, cookie } = await openId.start('/', once)
  const { search } = await provider.visit(url)
  await provider.stop()
  await assert.rejects(openId.finish(search, cookie), failure('openid_unavailable'))
  await assert.rejects(openFor(provider).openId.start('/', once), failure('openid_unavailable'))
})

test('a wrong secret is an invalid answer, and stays out of the message', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider, { OIDC_CLIENT_SECRET: 'quite-another-secret' })
  await assert.rejects(signIn(openId, provider), (error: Error) => {
    assert.match(error.message, /invalid_client/)
    assert.doesNotMatch(error.message, /quite-another-secret/)
    return failure('openid_invalid')(error)
  })
})

test('the provider asks again for the password when it must', async () => {
  await using provider = await startProvider()
  const { openId } = openFor(provider)
  const wanted = async (mustAskAgain: boolean) => new URL((await openId.start('/', { mustAskAgain })).url).searchParams
  assert.equal((await wanted(true)).get('prompt'), 'login')
  const plain = await wanted(false)
  assert.equal(plain.get('prompt'), null)
  assert.equal(plain.get('code_challenge_method'), 'S256')
  assert.equal(plain.get('scope'), 'openid profile email groups')
})
