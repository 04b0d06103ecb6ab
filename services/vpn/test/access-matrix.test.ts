import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsOf, type Operation } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startService, type Reply, type TestService } from './in-process.ts'

/** The ways to come in, as the acceptance of the API names them. */
type Visitor = 'no token' | 'read-only token' | 'full token' | 'user session' | 'admin session'

/** Expected status for each caller, by the access of a route and its method. */
function isAllowed({ access, method }: Operation, visitor: Visitor): boolean | 'own only' {
  if (access === 'public') return true
  const isToken = visitor.endsWith('token')
  if (visitor === 'no token') return false
  if (visitor === 'read-only token' && method !== 'GET') return false
  if (access === 'admin-session') return visitor === 'admin session'
  if (access === 'session' || access === 'any-session') return !isToken
  if (access === 'admin') return visitor !== 'user session'
  return visitor === 'user session' ? 'own only' : true
}

/** Members the request's own rules would complain about come after access, so an empty body is enough to tell. */
async function knock(test: TestService, operation: Operation, visitor: Visitor): Promise<Reply> {
  const path = operation.path.replace('{id}', '00000000-0000-7000-8000-000000000000').replace('{name}', 'wg9')
  const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {}
  if (visitor === 'no token') return test.send(operation.method, path, { body })
  if (visitor.endsWith('session')) {
    const browser = await test.signIn(visitor === 'admin session' ? 'second' : 'reader', 'tall-giraffe-on-ice-7')
    return browser.send(operation.method, path, { body })
  }
  const token = visitor === 'full token' ? test.admin : await readOnlyToken(test)
  return test.send(operation.method, path, { body, token })
}

const readOnlyTokens = new WeakMap<TestService, Promise<string>>()

function readOnlyToken(test: TestService): Promise<string> {
  const known =
    readOnlyTokens.get(test) ??
    test.signIn('second', 'tall-giraffe-on-ice-7').then((browser) => test.token(browser, 'read-only'))
  readOnlyTokens.set(test, known)
  return known
}

test('every route allows exactly the callers its access names', async () => {
  await using service = await startService()
  await service.addUser('second', 'admin')
  await service.addUser('reader', 'user')
  const operations = operationsOf(await openapiDocument())
  assert.ok(operations.length >= 30, `only ${operations.length} operations in the document`)
  const wrong: string[] = []
  for (const operation of operations) {
    if (operation.path === '/api/events') continue
    for (const visitor of ['no token', 'read-only token', 'full token', 'user session', 'admin session'] as const) {
      const reply = await knock(service, operation, visitor)
      const allowed = isAllowed(operation, visitor)
      const refused =
        visitor === 'no token' ? reply.status === 401 && operation.access !== 'public' : reply.status === 403
      const isRight = allowed === 'own only' ? true : allowed ? !refused : refused
      if (!isRight)
        wrong.push(
          `${operation.method} ${operation.path} (${operation.access}) as ${visitor}: ${reply.status} ${reply.text.slice(0, 120)}`,
        )
      if (refused) assert.deepEqual(Object.keys(reply.body).slice(0, 2), ['error', 'message'])
    }
  }
  assert.deepEqual(wrong, [])
})

test('a plain user reads interfaces and peers without endpoints, and only its own account', async () => {
  await using service = await startService()
  const { id } = await service.addUser('reader', 'user')
  const other = await service.addUser('other', 'user')
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const reader = await service.signIn('reader', 'tall-giraffe-on-ice-7')
  const list = await reader.send('GET', '/api/peers')
  assert.equal(list.status, 200)
  assert.equal(list.body.data.peers[0].endpoint, null)
  assert.equal((await reader.send('GET', `/api/users/${id}`)).status, 200)
  assert.equal((await reader.send('GET', `/api/users/${other.id}`)).status, 403)
  assert.equal((await reader.send('PUT', `/api/users/${other.id}`, { body: { email: 'a@example.org' } })).status, 403)
  assert.equal((await reader.send('PUT', `/api/users/${id}`, { body: { role: 'admin' } })).status, 403)
  assert.equal((await reader.send('PUT', `/api/users/${id}`, { body: { email: 'new@example.org' } })).status, 200)
  for (const path of ['config', 'qrcode']) {
    assert.equal((await reader.send('GET', `/api/peers/${list.body.data.peers[0].id}/${path}`)).status, 403)
  }
})

test('the event stream opens for every signed-in user and nobody else', async () => {
  await using service = await startService()
  assert.equal((await service.send('GET', '/api/events')).status, 401)
})

test('a form that sends every field back changes nothing else', async () => {
  await using service = await startService()
  const browser = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const { id, username, email, role, is_active } = (await browser.send('GET', '/api/session')).body.data.user
  const reply = await browser.send('PUT', `/api/users/${id}`, { body: { username, email, role, is_active } })
  assert.equal(reply.status, 200, reply.text)
  assert.equal((await browser.send('GET', '/api/session')).status, 200)
})
