import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startService, testPassword, type TestService } from './in-process.ts'

test('a session write needs the CSRF token of that session', async () => {
  await using service = await startService()
  const one = await service.signIn('admin', testPassword)
  const two = await service.signIn('admin', testPassword)
  const put = (csrf: string) =>
    one.send('PUT', '/api/settings', { body: { default_mtu: 1400 }, headers: { 'x-csrf-token': csrf } })
  for (const csrf of ['', 'x', two.csrf]) assert.equal((await put(csrf)).status, 403)
  assert.equal((await put(one.csrf)).status, 200)
})

test('cross-site browser requests are refused, including sign-in', async () => {
  await using service = await startService()
  const browser = await service.signIn('admin', testPassword)
  const headers = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await browser.send('PUT', '/api/settings', { body: { default_mtu: 1400 }, headers })).status, 403)
  assert.equal(
    (await service.send('POST', '/api/session', { body: { username: 'admin', password: testPassword }, headers }))
      .status,
    403,
  )
})

test('the cookie is SameSite, HttpOnly, and Secure behind TLS', async () => {
  await using service = await startService({ TRUSTED_PROXIES: '192.0.2.1' })
  const body = { username: 'admin', password: testPassword }
  const plain = String((await service.send('POST', '/api/session', { body })).headers['set-cookie'])
  assert.match(plain, /; Path=\/; HttpOnly; SameSite=Strict$/)
  const proxied = await service.send('POST', '/api/session', {
    body,
    from: '192.0.2.1',
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' },
  })
  assert.match(String(proxied.headers['set-cookie']), /; Secure/)
})

test('every response has strict headers; no other origin is allowed; the page has its policy’s nonce', async () => {
  await using service = await startService()
  for (const path of ['/', '/peers', '/health', '/api/peers', '/api/none', '/none.js']) {
    const reply = await service.send('GET', path, { headers: { origin: 'https://evil.example' } })
    const policy = String(reply.headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/, path)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
    assert.doesNotMatch(policy, /style-src-elem[^;]*unsafe/)
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.equal(reply.headers['referrer-policy'], 'no-referrer')
    assert.equal(reply.headers['access-control-allow-origin'], undefined)
    assert.match(String(reply.headers['cache-control']), /no-store/)
  }
})

test('bodies: too large 413, not JSON 415, broken 400, polluting 400, wrong shape 422; unknown fields are named', async () => {
  await using service = await startService()
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    service.send('POST', '/api/peers', { token: service.admin, body, headers })
  assert.equal((await post(JSON.stringify({ name: 'x'.repeat(1_100_000) }))).status, 413)
  assert.equal((await post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415)
  assert.equal((await post('hello', { 'content-type': 'text/plain' })).status, 415)
  assert.equal((await post('{"name":')).status, 400)
  assert.equal((await post('{"__proto__":{"a":1},"name":"x","interface":"wg0"}')).status, 400)
  assert.equal((await post('{"constructor":{"prototype":{"a":1}}}')).status, 400)
  for (const body of ['[]', '"text"', '7', 'null', '']) assert.equal((await post(body)).status, 422, body)
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  assert.ok([400, 422].includes((await post(deep)).status))
  const extra = await post({ name: 'x', interface: 'wg0', is_admin: true })
  assert.deepEqual(extra.body.details.fields.at(-1), {
    path: 'is_admin',
    code: 'unknown',
    message: 'is not known here',
  })
})

test('queries: duplicates, unknown names and out-of-range values get 400 and are named', async () => {
  await using service = await startService()
  for (const [query, path] of [
    ['limit=101', 'limit'],
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['offset=-1', 'offset'],
    ['status=up', 'status'],
    ['stauts=active', 'stauts'],
    ['__proto__[x]=1', '__proto__[x]'],
  ] as const) {
    const reply = await service.call('GET', `/api/peers?${query}`)
    assert.equal(reply.status, 400, query)
    assert.equal(reply.body.details.fields[0].path, path, query)
  }
})

test('paths: unknown ones get the 404 envelope, other methods 405, malformed ones never 500', async () => {
  await using service = await startService()
  const unknown = await service.call('GET', '/api/none')
  assert.equal(unknown.status, 404)
  assert.equal(unknown.body.error, 'Not Found')
  const patched = await service.call('PATCH', '/api/peers', {})
  assert.deepEqual([patched.status, patched.headers['allow']], [405, 'GET, POST'])
  for (const path of [
    `/api/peers/${'x'.repeat(300)}`,
    '/api/peers/%00',
    '/api/peers/%2e%2e%2f',
    '/api/peers/%E0%A4%A',
    '/api/interfaces/%F0',
    '/api/users/..',
  ]) {
    const reply = await service.call('GET', path)
    assert.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`)
    assert.equal(typeof reply.body.error, 'string')
  }
  for (const path of [
    '/../package.json',
    '/assets/../../package.json',
    '/%2e%2e/package.json',
    '/index.html/../../secret.key',
    '/.built-from',
  ]) {
    const reply = await service.send('GET', path)
    assert.doesNotMatch(reply.text, /"dependencies"/)
  }
})

/** Speaks to the service over a real socket and returns everything it answers. */
async function raw(service: TestService, text: string): Promise<string> {
  const { http } = service.service.app
  if (!http.server.listening) await http.listen({ host: '127.0.0.1', port: 0 })
  const address = http.server.address()
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
    if (answer.includes('\r\n\r\n')) socket.end()
  })
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return answer
}

test('upgrades and ambiguous requests do not bypass authentication', async () => {
  await using service = await startService()
  const upgrade = await raw(
    service,
    'GET /api/peers HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
  )
  assert.match(upgrade, /^HTTP\/1\.1 400 /)
  const smuggled = await raw(
    service,
    'POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/peers HTTP/1.1\r\nHost: x\r\n\r\n',
  )
  assert.match(smuggled, /^HTTP\/1\.1 400 /)
  const prior = await raw(service, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  assert.doesNotMatch(prior, /^HTTP\/1\.1 200/)
})

test('PUBLIC_URL names the endpoint in configurations and secures the cookie; a forged Host header reaches no file', async () => {
  await using open = await startService()
  await using published = await startService({ PUBLIC_URL: 'https://vpn.example.org:8443/x' })
  const endpointOf = async (service: TestService, host: string) => {
    const interfaces = await service.call('GET', '/api/interfaces')
    if (interfaces.body.total === 0)
      await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
    const peers = (await service.call('GET', '/api/peers')).body.data.peers
    const peer = peers[0] ?? (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
    const reply = await service.send('GET', `/api/peers/${peer.id}/config`, { token: service.admin, headers: { host } })
    return reply.status === 400 ? 'refused' : /^Endpoint = (.*)$/m.exec(reply.text)?.[1]
  }
  assert.equal(await endpointOf(published, 'other'), 'vpn.example.org:51820')
  assert.equal(await endpointOf(open, 'home.lan:8101'), 'home.lan:51820')
  assert.equal(await endpointOf(open, '[2001:db8::5]:8101'), '[2001:db8::5]:51820')
  for (const host of ['a b', 'x\u00e4', '"quoted"', 'a/../b'])
    assert.equal(await endpointOf(open, host), 'refused', host)
  for (const host of ["a'b", 'a;b', 'a$(b)', '']) assert.equal(await endpointOf(open, host), 'localhost:51820', host)
  const signedIn = await published.send('POST', '/api/session', { body: { username: 'admin', password: testPassword } })
  assert.match(String(signedIn.headers['set-cookie']), /; Secure/)
})
