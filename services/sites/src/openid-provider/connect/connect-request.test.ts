import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { createHash } from 'node:crypto'
import { createConnectCodes } from './connect-codes.ts'
import {
  addressOf,
  membersOf,
  readConnectRequest,
  readSignInId,
  signInIdOf,
  type ConnectRequest,
} from './connect-request.ts'

const verifier = 'v'.repeat(43)
const usual: Readonly<Record<string, string>> = {
  service: 'vpn',
  redirect_uri: 'https://vpn.example.org/api/openid/callback',
  return_to: 'https://vpn.example.org/api/openid/connection/callback',
  state: 's'.repeat(43),
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
}

const read = (change: Readonly<Record<string, string>> = {}) =>
  readConnectRequest((name) => ({ ...usual, ...change })[name] ?? '')

function accepted(change: Readonly<Record<string, string>> = {}): ConnectRequest {
  const request = read(change)
  assert.ok(typeof request !== 'string')
  return request
}

test('a request of each service is read, at https and on loopback', () => {
  assert.equal(accepted().origin, 'https://vpn.example.org')
  const inverter = {
    service: 'inverter',
    redirect_uri: 'http://127.0.0.1:8102/admin/api/openid/callback',
    return_to: 'http://127.0.0.1:8102/admin/api/openid/connection/callback',
  }
  assert.equal(accepted(inverter).service.title, 'Hearth Inverter')
})

test('a request that would send the code elsewhere, or is incomplete, is refused with a sentence', () => {
  const at = (origin: string, path = '/api/openid') => ({
    redirect_uri: `${origin}${path}/callback`,
    return_to: `${origin}${path}/connection/callback`,
  })
  const { return_to: returnTo = '', redirect_uri: redirectUri = '' } = usual
  const cases: Readonly<Record<string, string>>[] = [
    { service: 'sites' },
    { service: '__proto__' },
    { return_to: 'https://evil.example/api/openid/connection/callback' },
    { return_to: `${returnTo}?to=evil` },
    { return_to: redirectUri },
    { redirect_uri: 'https://evil.example/api/openid/callback' },
    { redirect_uri: `${redirectUri}#x` },
    { redirect_uri: `${redirectUri}/` },
    { redirect_uri: '' },
    at('http://vpn.example.org'),
    at('https://ann:secret@vpn.example.org'),
    at('https://vpn.example.org/below'),
    at('https://VPN.example.org'),
    at('https://vpn.example.org:443'),
    at('https://vpn.example.org\\evil.example'),
    at('https://vpn.example.org?'),
    at(`https://${'a'.repeat(2000)}`),
    at('javascript:alert(1)//x'),
    at('https://vpn.example.org', '/admin/api/openid'),
    { state: 'short' },
    { state: `${'s'.repeat(43)}<b>` },
    { code_challenge: '' },
  ]
  for (const change of cases) {
    const problem = read(change)
    assert.ok(typeof problem === 'string', JSON.stringify(change))
    assert.doesNotMatch(problem, /evil|<b>/)
  }
})

test('the sign-in page leads back to the page of the request, and nowhere else', () => {
  const request = accepted()
  const found = readSignInId(signInIdOf(request))
  assert.deepEqual(found && membersOf(found), membersOf(request))
  assert.match(addressOf(request), /^\/connect\?service=vpn&/)
  const forged = (change: object) =>
    `connect.${Buffer.from(JSON.stringify({ ...membersOf(request), ...change })).toString('base64url')}`
  assert.equal(readSignInId(forged({ return_to: 'https://evil.example/api/openid/connection/callback' })), undefined)
  for (const id of [
    '',
    'connect.',
    'connect.bm8',
    `connect.${Buffer.from('[1]').toString('base64url')}`,
    'x'.repeat(43),
  ])
    assert.equal(readSignInId(id), undefined)
})

test('a code is good once, for two minutes, and for whoever asked', () => {
  const clock = createManualClock(0)
  const codes = createConnectCodes(clock)
  const permission = {
    request: accepted(),
    allowed: 'everybody',
    admins: [],
    by: { userId: '1', username: 'ann' },
  } as const
  const first = codes.create(permission)
  assert.equal(codes.take(first, verifier), permission)
  assert.equal(codes.take(first, verifier), undefined)
  const stolen = codes.create(permission)
  assert.equal(codes.take(stolen, 'another'), undefined)
  assert.equal(codes.take(stolen, verifier), undefined)
  const late = codes.create(permission)
  clock.advance(120_001)
  assert.equal(codes.take(late, verifier), undefined)
  const oldest = codes.create(permission)
  for (let count = 0; count < 100; count += 1) codes.create(permission)
  assert.equal(codes.take(oldest, verifier), undefined)
})
