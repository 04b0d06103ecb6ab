import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, testPassword, type Reply, type TestService } from './in-process.ts'

const budgeted = { RATE_LIMIT_EXEMPT: '' }

async function many(count: number, send: () => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let index = 0; index < count; index += 1) replies.push(await send())
  return replies
}

const statuses = (replies: Reply[]) => replies.map((reply) => reply.status)
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test('without valid credentials: 10 reads and 5 writes a minute, counted separately, also for a wrong token', async () => {
  await using service = await startService(budgeted)
  const from = '198.51.100.1'
  assert.deepEqual(statuses(await many(11, () => service.send('GET', '/api/peers', { from, token: 'wrong' }))), [
    ...repeat(10, 401),
    429,
  ])
  assert.deepEqual(statuses(await many(6, () => service.send('POST', '/api/peers', { from, body: {} }))), [
    ...repeat(5, 401),
    429,
  ])
  assert.equal((await service.send('GET', '/api/no-such', { from })).status, 429, 'an unknown address counts too')
  assert.equal((await service.send('GET', '/health', { from })).status, 200, 'liveness does not')
})

test('with a token: 100 reads and 30 writes a minute; the 429 says how long to wait', async () => {
  await using service = await startService(budgeted)
  const before = await service.call('GET', '/api/peers')
  const left = Number(before.headers['x-ratelimit-remaining'])
  assert.equal(before.headers['x-ratelimit-limit'], '100')
  const reads = await many(left + 1, () => service.call('GET', '/api/interfaces'))
  assert.deepEqual(statuses(reads), [...repeat(left, 200), 429])
  const writes = await many(31, () => service.call('POST', '/api/peers', {}))
  const accepted = statuses(writes).filter((status) => status === 422).length
  assert.ok(accepted >= 28 && accepted <= 30, `${accepted} writes`)
  const refused = writes.at(-1)
  assert.equal(refused?.status, 429)
  assert.equal(refused?.body.error, 'Too Many Requests')
  const seconds = Number(refused?.headers['retry-after'])
  assert.ok(seconds >= 1 && seconds <= 60)
  assert.match(refused?.body.message, new RegExp(`\\b${seconds} second`))
  assert.deepEqual(refused?.body.details, { retry_after: seconds, limit: 30, window: 60 })
})

test('all tokens and sessions of a user share one budget, separate from other users', async () => {
  await using service = await startService(budgeted)
  const other = await service.addUser('other', 'admin')
  const browser = await service.signIn('other', other.password)
  const tokens = [await service.token(browser, 'read-only'), await service.token(browser, 'read-only')]
  let passed = 0
  for (let index = 0; index < 110; index += 1) {
    const reply =
      index % 3 === 2
        ? await browser.send('GET', '/api/peers')
        : await service.send('GET', '/api/peers', { token: tokens[index % 3] })
    if (reply.status === 200) passed += 1
  }
  assert.equal(passed, 100)
  assert.equal((await service.call('GET', '/api/peers')).status, 200)
})

test('IPv6 clients are counted by their /64, and a forwarding header counts only from a trusted proxy', async () => {
  await using service = await startService({ ...budgeted, TRUSTED_PROXIES: '192.0.2.1' })
  let index = 0
  const spread = await many(11, () =>
    service.send('GET', '/api/peers', { from: `2001:db8:0:1::${(index += 1).toString(16)}` }),
  )
  assert.equal(spread.at(-1)?.status, 429)
  assert.equal((await service.send('GET', '/api/peers', { from: '2001:db8:0:2::1' })).status, 401)
  const spoofed = await many(11, () =>
    service.send('GET', '/api/peers', {
      from: '198.51.100.2',
      headers: { 'x-forwarded-for': `203.0.113.${(index += 1)}` },
    }),
  )
  assert.equal(spoofed.at(-1)?.status, 429)
  const proxied = await many(11, () =>
    service.send('GET', '/api/peers', {
      from: '192.0.2.1',
      headers: { 'x-forwarded-for': `203.0.113.${(index += 1)}` },
    }),
  )
  assert.equal(proxied.at(-1)?.status, 401)
})

async function failToSignIn(service: TestService, from: string): Promise<number> {
  return (await service.send('POST', '/api/session', { body: { username: 'admin', password: 'wrong-password' }, from }))
    .status
}

test('five failed sign-ins block sign-in from that address, also with the right password; others are unaffected', async () => {
  await using service = await startService({ RATE_LIMIT_EXEMPT: '198.51.100.0/24' })
  for (let index = 0; index < 5; index += 1) assert.equal(await failToSignIn(service, '198.51.100.7'), 401)
  const closed = await service.send('POST', '/api/session', {
    body: { username: 'admin', password: testPassword },
    from: '198.51.100.7',
  })
  assert.equal(closed.status, 429)
  assert.ok(Number(closed.headers['retry-after']) > 60)
  await service.signIn('admin', testPassword, '198.51.100.8')
})

test('simultaneous guesses are counted before they are checked', async () => {
  await using service = await startService({ RATE_LIMIT_EXEMPT: '198.51.100.0/24' })
  const tries = await Promise.all(Array.from({ length: 20 }, () => failToSignIn(service, '198.51.100.9')))
  assert.equal(tries.filter((status) => status === 401).length, 5)
})

test('a successful sign-in does not count as an anonymous attempt', async () => {
  await using service = await startService(budgeted)
  for (let index = 0; index < 8; index += 1) await service.signIn('admin', testPassword, '198.51.100.3')
})
