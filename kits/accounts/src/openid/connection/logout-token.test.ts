import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { KeySet, readLogoutToken } from './logout-token.ts'

const now = 1_800_000_000_000
const seconds = now / 1000
const createKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [own, other] = [createKey(), createKey()]
const keys = KeySet.parse({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }] })
const event = 'http://schemas.openid.net/event/backchannel-logout'
const usual = {
  iss: 'https://auth.example.org',
  aud: 'client',
  iat: seconds,
  exp: seconds + 120,
  sid: 'session',
  jti: '1',
  events: { [event]: {} },
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function tokenOf(claims: object, { key = own.privateKey, head = {} }: { key?: KeyObject; head?: object } = {}): string {
  const text = `${encode({ alg: 'RS256', typ: 'logout+jwt', kid: 'first', ...head })}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

const read = (token: string) =>
  readLogoutToken(token, keys, { issuer: 'https://auth.example.org', clientId: 'client', now })

test('a token of the portal for this service names the session that ended', async () => {
  assert.equal(await read(tokenOf(usual)), 'session')
  assert.equal(await read(tokenOf({ ...usual, aud: ['another', 'client'] })), 'session')
})

test('any other token ends nothing', async () => {
  const { sid: _sid, ...nobody } = usual
  const claims: object[] = [
    nobody,
    { ...usual, iss: 'https://evil.example' },
    { ...usual, aud: 'another' },
    { ...usual, exp: seconds - 61 },
    { ...usual, iat: seconds + 61 },
    { ...usual, iat: seconds - 601 },
    { ...usual, events: {} },
    { ...usual, events: undefined },
    // An ID token is none.
    { ...usual, nonce: 'n' },
  ]
  for (const changed of claims) assert.equal(await read(tokenOf(changed)), undefined, JSON.stringify(changed))
  assert.equal(await read(tokenOf(usual, { key: other.privateKey })), undefined)
  for (const head of [{ alg: 'none' }, { alg: 'HS256' }, { kid: 'second' }, { kid: undefined }])
    assert.equal(await read(tokenOf(usual, { head })), undefined, JSON.stringify(head))
  const [head = '', body = '', signature = ''] = tokenOf(usual).split('.')
  for (const token of ['', '..', head, `${head}.${body}`, `${head}.${body}.`, `${head}.${body}.${signature}.x`])
    assert.equal(await read(token), undefined, token)
})
