import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { openSealedStorage } from '@hearth/service'
import { databaseDescription } from '../src/database/description.ts'
import type { Tables } from '../src/tables.ts'
import { Tokens } from '../src/tokens/tokens.ts'
import { startService } from './in-process.ts'

test('every kind of bad token gets the same 401 body', async () => {
  await using service = await startService()
  const bad = [
    undefined,
    '',
    'x',
    'hvpn_',
    `hvpn_${'a'.repeat(44)}`,
    service.admin.slice(0, -1),
    `${service.admin}x`,
    service.admin.replace('hvpn', 'hinv'),
    service.admin.toLowerCase(),
  ]
  const replies = await Promise.all(bad.map((token) => service.send('GET', '/api/peers', { token })))
  for (const reply of replies) {
    assert.equal(reply.status, 401)
    assert.equal(reply.text, replies[0]?.text)
    assert.equal(reply.headers['www-authenticate'], 'Bearer')
  }
  assert.equal(replies[0]?.body.error, 'Unauthorized')
  assert.match(replies[0]?.body.message, /missing or not valid/)
})

test('a token is refused as soon as it is revoked, its owner is deactivated, or its owner is deleted', async () => {
  await using service = await startService()
  const owner = await service.addUser('owner', 'admin')
  const browser = await service.signIn('owner', owner.password)
  const first = await service.token(browser, 'full')
  const list = await browser.send('GET', '/api/session/tokens')
  await browser.send('DELETE', `/api/session/tokens/${list.body.data[0].id}`)
  assert.equal((await service.send('GET', '/api/peers', { token: first })).status, 401)
  const second = await service.token(browser, 'read-only')
  await service.call('PUT', `/api/users/${owner.id}`, { is_active: false })
  assert.equal((await service.send('GET', '/api/peers', { token: second })).status, 401)
  await service.call('PUT', `/api/users/${owner.id}`, { is_active: true })
  assert.equal((await service.send('GET', '/api/peers', { token: second })).status, 200)
  await service.call('DELETE', `/api/users/${owner.id}`)
  assert.equal((await service.send('GET', '/api/peers', { token: second })).status, 401)
})

test('a full token of a demoted administrator can only read what a plain user may', async () => {
  await using service = await startService()
  const owner = await service.addUser('owner', 'admin')
  const token = await service.token(await service.signIn('owner', owner.password), 'full')
  await service.call('PUT', `/api/users/${owner.id}`, { role: 'user' })
  assert.equal((await service.send('GET', '/api/peers', { token })).status, 200)
  assert.equal((await service.send('GET', '/api/users', { token })).status, 403)
  assert.equal((await service.send('POST', '/api/peers', { token, body: {} })).status, 403)
})

test('expiry is exact to the second, and never means never', async () => {
  await using service = await startService()
  const place = { dataDirectory: service.folder, databaseUrl: undefined, secretKey: undefined }
  const secretKeyFile = `${service.folder}/secret.key`
  const { database } = await openSealedStorage<Tables>(databaseDescription, { ...place, secretKeyFile })
  const clock = createManualClock(Date.now())
  const tokens = new Tokens({ database, clock })
  const admin = (await service.call('GET', '/api/users')).body.data[0]
  const year = await tokens.create(
    { userId: admin.id, role: 'admin' },
    { name: 'year', permissions: 'full', expires: '1y', ip_whitelist: [] },
  )
  const never = await tokens.create(
    { userId: admin.id, role: 'admin' },
    { name: 'never', permissions: 'full', expires: 'never', ip_whitelist: [] },
  )
  clock.advance(365 * 86_400_000 - 1000)
  assert.equal((await tokens.identify(year.token, '127.0.0.1'))?.userId, admin.id)
  clock.advance(1000)
  assert.equal(await tokens.identify(year.token, '127.0.0.1'), undefined)
  clock.advance(20 * 365 * 86_400_000)
  assert.equal((await tokens.identify(never.token, '127.0.0.1'))?.userId, admin.id)
  await database.close()
})

test('a read-only token reads and nothing else, whatever header names another method', async () => {
  await using service = await startService()
  const token = await service.token(await service.signIn('admin', 'tall-giraffe-on-ice-7'), 'read-only')
  assert.equal((await service.send('GET', '/api/peers', { token })).status, 200)
  assert.equal((await service.send('HEAD', '/api/peers', { token })).status, 200)
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const reply = await service.send(method, method === 'POST' ? '/api/peers' : '/api/peers/x', {
      token,
      body: '{broken',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(reply.status, 403, `${method} is refused before its body is parsed`)
    assert.equal(reply.body.error, 'Forbidden')
  }
  const override = await service.send('GET', '/api/peers', { token, headers: { 'x-http-method-override': 'DELETE' } })
  assert.equal(override.status, 200)
  assert.equal(override.body.data.total, 0)
})

test('full tokens are for administrators, and a token cannot create another', async () => {
  await using service = await startService()
  const reader = await service.addUser('reader', 'user')
  const browser = await service.signIn('reader', reader.password)
  assert.equal(
    (await browser.send('POST', '/api/session/tokens', { body: { name: 'x', permissions: 'full' } })).status,
    403,
  )
  assert.equal(
    (await browser.send('POST', '/api/session/tokens', { body: { name: 'x', permissions: 'read-only' } })).status,
    201,
  )
  assert.equal((await service.call('POST', '/api/session/tokens', { name: 'x', permissions: 'read-only' })).status, 403)
})

test('an IP list binds a token to addresses (IPv4, IPv6, mapped), and a forwarding header cannot bypass it', async () => {
  await using service = await startService({ TRUSTED_PROXIES: '192.0.2.10' })
  const browser = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const token = await service.token(browser, 'read-only', {
    ip_whitelist: ['198.51.100.0/24', '2001:db8::/32', '203.0.113.7'],
  })
  const from = (address: string, headers: Record<string, string> = {}) =>
    service.send('GET', '/api/peers', { token, from: address, headers }).then((reply) => reply.status)
  for (const address of ['198.51.100.9', '2001:db8::5', '203.0.113.7', '::ffff:203.0.113.7'])
    assert.equal(await from(address), 200, address)
  for (const address of ['198.51.101.9', '2001:db9::5', '203.0.113.8', '127.0.0.1'])
    assert.equal(await from(address), 403, address)
  const claimed = { 'x-forwarded-for': '203.0.113.7' }
  assert.equal(await from('198.51.101.9', claimed), 403, 'not from a trusted proxy')
  assert.equal(await from('192.0.2.10', claimed), 200, 'from a trusted proxy')
  assert.equal(
    await from('192.0.2.10', { 'x-forwarded-for': '203.0.113.7, 198.51.101.9' }),
    403,
    'the last hop counts, not what the client wrote first',
  )
  assert.equal(await from('192.0.2.10', { 'x-forwarded-for': 'garbage' }), 403)
  for (const entry of ['', 'x', '10.0.0.0/33', '10.0.0.0/8; id', '::/129']) {
    assert.equal(
      (
        await browser.send('POST', '/api/session/tokens', {
          body: { name: 'x', permissions: 'read-only', ip_whitelist: [entry] },
        })
      ).status,
      422,
      entry,
    )
  }
})

test('the header takes precedence over the query parameter', async () => {
  await using service = await startService()
  assert.equal((await service.send('GET', `/api/peers?token=${service.admin}`)).status, 200)
  assert.equal((await service.send('GET', `/api/peers?token=${service.admin}`, { token: 'wrong' })).status, 401)
  assert.equal((await service.send('GET', '/api/peers?token=wrong', { token: service.admin })).status, 200)
})

test('a token is shown once: neither the list nor the database contains it', async () => {
  await using service = await startService()
  const browser = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const value = await service.token(browser, 'read-only')
  assert.match(value, /^[a-z]{2,6}_[A-Za-z0-9]{32,}$/)
  const list = await browser.send('GET', '/api/session/tokens')
  assert.ok(!list.text.includes(value))
  assert.ok(list.body.data.some((token: { prefix: string }) => value.startsWith(token.prefix)))
})
