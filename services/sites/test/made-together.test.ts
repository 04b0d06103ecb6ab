import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createPostgresDatabase, onlyOne, postgresObstacle, statusesTogether } from '@hearth/testing'
import { startSites, testPassword, type Sites } from './in-process.ts'
import { sayingSite } from './served.ts'

/** As much of Caddy's admin endpoint as adding a server asks for. */
async function startAdmin(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => request.on('end', () => answer(request.method, response)).resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(method: string | undefined, response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', etag: '"/config/ 1"' }
  if (method === 'GET') response.writeHead(200, headers).end('null')
  else response.writeHead(400, headers).end('{"error":"unknown module"}')
}

async function hold(sites: Sites): Promise<void> {
  const token = sites.service.setUpToken()
  const setUp = await statusesTogether((index) =>
    sites.browser().call('POST', '/api/setup', { json: { token, username: `admin${index}`, password: testPassword } }),
  )
  assert.equal(setUp.filter((status) => status === 200).length, 1, setUp.join())
  assert.ok(
    setUp.every((status) => status < 500),
    setUp.join(),
  )
}

async function faultsOf(sites: Sites): Promise<string[]> {
  await using admin = await startAdmin()
  await using others = await startAdmin()
  const browser = await sites.signIn()
  const post = (path: string, body: (index: number) => object) => (index: number) =>
    browser.call('POST', path, { json: body(index) })
  const node = { http_port: 80, https_port: 443 }
  const user = { password: testPassword, role: 'user' }
  const creates: [string, (index: number) => Promise<{ status: number }>][] = [
    ['user of one name', post('/api/users', () => ({ ...user, username: 'alex' }))],
    [
      'site of one name',
      post('/api/sites?wait=false', (index) => ({ ...sayingSite('one', 'x'), domains: [`s${index}.test`] })),
    ],
    [
      'site with one domain',
      post('/api/sites?wait=false', (index) => ({ ...sayingSite(`d${index}`, 'x'), domains: ['shared.test'] })),
    ],
    ['server at one address', post('/api/nodes', (index) => ({ ...node, name: `n${index}`, admin_url: admin.url }))],
    ['server of one name', post('/api/nodes', () => ({ ...node, name: 'twin', admin_url: others.url }))],
  ]
  const faults: string[] = []
  for (const [what, create] of creates) {
    const statuses = await statusesTogether(create)
    if (statuses.join() !== onlyOne(201).join()) faults.push(`${what}: ${statuses.join(' ')}`)
  }
  return faults
}

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  const environment = async (): Promise<Record<string, string>> =>
    kind === 'SQLite' ? {} : { DATABASE_URL: await createPostgresDatabase() }
  test(
    `of eight that make the same at once one succeeds and seven hear of the conflict, on ${kind}`,
    { skip },
    async () => {
      await using sites = await startSites(await environment())
      assert.deepEqual(await faultsOf(sites), [])
    },
  )
  test(`of eight that set the service up at once one does, on ${kind}`, { skip }, async () => {
    await using sites = await startSites(await environment())
    await hold(sites)
  })
}
