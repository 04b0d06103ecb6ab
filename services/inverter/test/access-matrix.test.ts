import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsOf, type Operation } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { main, startGateway, type Browser, type Reply, type TestGateway } from './in-process.ts'

type Visitor =
  | 'nobody'
  | 'wrong token'
  | 'read token'
  | 'read/write token'
  | 'administrator'
  | 'administrator without CSRF'

/** Expected refusal of each visitor by the access of a route: a status, or undefined for none. */
function refusal({ access, method }: Operation, visitor: Visitor): number | undefined {
  if (access === 'public' || access === 'docs') return undefined
  if (visitor === 'nobody' || visitor === 'wrong token') return 401
  if (visitor === 'administrator') return undefined
  if (visitor === 'administrator without CSRF') return method === 'GET' ? undefined : 403
  if (access === 'admin' || access === 'any-session') return 403
  return visitor === 'read token' && access !== 'read' && access !== 'scrape' ? 403 : undefined
}

async function knock(
  gateway: TestGateway,
  browser: Browser,
  { operation, visitor }: { operation: Operation; visitor: Visitor },
): Promise<Reply> {
  const path = operation.path.replaceAll(/\{\w+\}/g, 'nothing')
  const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {}
  if (visitor === 'administrator') return browser.send(operation.method, path, { body })
  if (visitor === 'administrator without CSRF')
    return gateway.send(operation.method, path, { body, headers: { cookie: browser.cookie } })
  const tokens = {
    nobody: undefined,
    'wrong token': 'pat_wrong',
    'read token': gateway.tokens.read,
    'read/write token': gateway.tokens.write,
  }
  return gateway.send(operation.method, path, { body, token: tokens[visitor] })
}

test('every route admits exactly the roles in its access rule', async () => {
  const environment = { DOCS_PUBLIC: 'true', ENABLE_VENDOR_DIAGNOSTICS: 'true' }
  await using gateway = await startGateway({ environment, device: null })
  await gateway.allowWriting('battery_soc_target')
  const operations = operationsOf(await openapiDocument())
  assert.ok(operations.length >= 45, `only ${operations.length} operations in the document`)
  const wrong: string[] = []
  const browser = await gateway.signIn()
  for (const operation of operations) {
    if (operation.path === '/api/v1/stream' || operation.path.startsWith('/admin/api/session')) continue
    for (const visitor of [
      'nobody',
      'wrong token',
      'read token',
      'read/write token',
      'administrator without CSRF',
      'administrator',
    ] as const) {
      const { status, text } = await knock(gateway, browser, { operation, visitor })
      const expected = refusal(operation, visitor)
      const isRight = expected === undefined ? status !== 401 && status !== 403 : status === expected
      // Refused by the route itself, not by the access check.
      const isOwn = expected === undefined && status === 403 && text.includes('write_not_allowed')
      if (!isRight && !isOwn)
        wrong.push(
          `${operation.method} ${operation.path} (${operation.access}) as ${visitor}: ${status} ${text.slice(0, 160)}`,
        )
    }
  }
  assert.deepEqual(wrong, [])
})

test('a disabled feature answers 404 before authentication', async () => {
  await using gateway = await startGateway({ device: null })
  const put = await gateway.send('PUT', main('/metrics/battery_soc_target'), { body: { value: 80 } })
  assert.deepEqual([put.status, put.body.code], [404, 'write_disabled'])
  for (const [method, path] of [
    ['GET', '/battery/dispatch'],
    ['POST', '/battery/dispatch'],
    ['DELETE', '/battery/dispatch'],
    ['GET', '/energy'],
    ['POST', '/energy/command'],
    ['POST', '/actions/com_service'],
  ] as const)
    assert.equal((await gateway.call(method, main(path))).body.code, 'write_disabled', path)
  for (const path of [
    '/docs',
    '/openapi.json',
    '/docs/start.js',
    '/api/v1/vendor/rct/objects',
    '/api/v1/vendor/rct/transports',
  ])
    assert.deepEqual(
      [(await gateway.call('GET', path)).status, (await gateway.call('GET', path)).body.code],
      [404, 'not_found'],
      path,
    )
})

test('with DOCS_PUBLIC the docs page and the OpenAPI document need no token', async () => {
  await using gateway = await startGateway({ device: null, environment: { DOCS_PUBLIC: 'true' } })
  const page = await gateway.send('GET', '/docs')
  assert.equal(page.status, 200)
  assert.match(page.text, /swagger-ui-bundle/)
  assert.equal((await gateway.send('GET', '/openapi.json')).body.openapi, '3.1.0')
})

test('wrong tokens block an address, but valid tokens from it still work', async () => {
  await using gateway = await startGateway({ device: null, environment: { RATE_LIMIT_EXEMPT: '' } })
  const from = '192.0.2.7'
  for (let count = 0; count < 5; count += 1) {
    const reply = await gateway.send('GET', '/api/v1/devices', { token: 'pat_guess', from })
    assert.deepEqual(
      [reply.status, reply.body.code, reply.headers['www-authenticate']],
      [401, 'invalid_token', 'Bearer'],
    )
  }
  const closed = await gateway.send('GET', '/api/v1/devices', { token: 'pat_guess', from })
  assert.deepEqual([closed.status, closed.body.code, closed.headers['retry-after']], [429, 'rate_limited', '900'])
  assert.equal((await gateway.send('GET', '/api/v1/devices', { token: gateway.tokens.read, from })).status, 200)
  const other = await gateway.send('GET', '/api/v1/devices', { token: 'pat_guess', from: '192.0.2.8' })
  assert.equal(other.status, 401)
})

test('the rate limit applies per token and address', async () => {
  const environment = { RATE_LIMIT_EXEMPT: '', RATE_LIMIT_PER_MINUTE: '3' }
  await using gateway = await startGateway({ device: null, environment, speed: 1 })
  const ask = (token: string, from = '192.0.2.7') => gateway.send('GET', '/api/v1/devices', { token, from })
  for (let count = 0; count < 3; count += 1) assert.equal((await ask(gateway.tokens.read)).status, 200)
  const refused = await ask(gateway.tokens.read)
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.equal((await ask(gateway.tokens.write)).status, 200)
  assert.equal((await ask(gateway.tokens.read, '192.0.2.8')).status, 200)
  assert.equal((await gateway.send('GET', '/health', { from: '192.0.2.7' })).status, 200)
})

test('the generated password only allows changing it, and sign-in is throttled after five failures', async () => {
  await using gateway = await startGateway({ device: null, environment: { RATE_LIMIT_EXEMPT: '' } })
  const { firstPassword } = gateway.service
  const signIn = (password: string, from: string) =>
    gateway.send('POST', '/admin/api/session', { body: { username: 'admin', password }, from })
  const first = await signIn(firstPassword ?? '', '192.0.2.1')
  assert.equal(first.body.password_change_required, true)
  const headers = {
    cookie: String(first.headers['set-cookie']).split(';')[0] ?? '',
    'x-csrf-token': first.body.csrf_token,
  }
  const blocked = await gateway.send('GET', '/admin/api/tokens', { headers })
  assert.deepEqual([blocked.status, blocked.body.code], [403, 'password_change_required'])
  for (const [next, parameter] of [
    [firstPassword, 'new_password'],
    ['12345678', 'new_password'],
    ['short', 'new_password'],
  ] as const) {
    const body = { current_password: firstPassword, new_password: next }
    const refused = await gateway.send('POST', '/admin/api/session/password', { body, headers })
    assert.deepEqual([refused.status, refused.body.errors[0].parameter], [422, parameter])
  }
  for (let count = 0; count < 5; count += 1) assert.equal((await signIn('wrong', '192.0.2.2')).status, 401)
  assert.equal((await signIn('wrong', '192.0.2.2')).status, 401)
  assert.equal((await signIn(firstPassword ?? '', '192.0.2.2')).status, 429)
  assert.equal((await gateway.signIn('192.0.2.3')).csrf.length > 10, true)
  assert.equal((await gateway.send('GET', '/admin/api/tokens', { headers })).status, 401)
})
