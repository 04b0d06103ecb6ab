import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  createPostgresDatabase,
  onlyOne,
  postgresObstacle,
  concurrentStatuses,
  createAuthenticator,
  type SoftwareAuthenticator,
} from '@hearth/testing'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'
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
  const setUp = await concurrentStatuses((index) =>
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
    const statuses = await concurrentStatuses(create)
    if (statuses.join() !== onlyOne(201).join()) faults.push(`${what}: ${statuses.join(' ')}`)
  }
  return faults
}

/** A user in two browsers that have each begun to register four passkeys. */
async function beginPasskeys(sites: Sites, username: string) {
  const origin = sites.url.replace('127.0.0.1', 'localhost')
  const post = (browser: Browser, step: string, json: object) =>
    browser.json<{ options: object }>('POST', `/api/passkeys/register/${step}`, { json, headers: { origin } })
  const begun: { browser: Browser; options: object }[] = []
  for (const browser of [await sites.signInAs(username), await sites.signInAs(username)])
    for (let count = 0; count < 4; count += 1) {
      const { status, body } = await post(browser, 'start', {})
      assert.equal(status, 200)
      begun.push({ browser, options: body.options })
    }
  /** Statuses of what the browsers answer with, all at the same moment. */
  const finish = (authenticatorFor: (index: number) => SoftwareAuthenticator, requestOf = (index: number) => index) => {
    const calls = begun.map((_, index) => {
      const { browser, options } = begun[requestOf(index)]!
      const credential = authenticatorFor(index).create(options)
      return () => post(browser, 'finish', { credential })
    })
    return concurrentStatuses((index) => calls[index]!())
  }
  const count = async () => (await begun[0]!.browser.json<object[]>('GET', '/api/passkeys')).body.length
  return { authenticator: () => createAuthenticator(origin), finish, count }
}

/** Eight finish at once: with one credential, with one request of the server, and where two more passkeys have room. */
async function passkeyFaults(sites: Sites): Promise<string[]> {
  const faults: string[] = []
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) faults.push(`${what}: ${JSON.stringify(found)}`)
  }
  for (const name of ['one', 'two', 'many']) await sites.addUser(name, 'user')
  const one = await beginPasskeys(sites, 'one')
  const same = one.authenticator()
  expect('one credential', await one.finish(() => same), onlyOne(200))
  expect('one credential, kept', await one.count(), 1)

  const two = await beginPasskeys(sites, 'two')
  const answered = await two.finish(two.authenticator, () => 0)
  expect('one request', answered, [200, ...Array.from({ length: 7 }, () => 400)])
  expect('one request, kept', await two.count(), 1)

  const many = await beginPasskeys(sites, 'many')
  expect('eight passkeys', await many.finish(many.authenticator), Array(8).fill(200))
  const more = await beginPasskeys(sites, 'many')
  const [first, second, ...others] = await more.finish(more.authenticator)
  expect('ten passkeys at most', [first, second, ...others], [200, 200, ...others.map(() => 409)])
  expect('ten passkeys at most, kept', await more.count(), 10)
  return faults
}

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  const environment = async (): Promise<Record<string, string>> =>
    kind === 'SQLite' ? {} : { DATABASE_URL: await createPostgresDatabase() }
  test(
    `of eight identical simultaneous creations one succeeds and seven get a conflict, on ${kind}`,
    { skip },
    async () => {
      await using sites = await startSites(await environment())
      assert.deepEqual(await faultsOf(sites), [])
    },
  )
  test(`of eight passkeys registered at once none is stored twice or beyond ten, on ${kind}`, { skip }, async () => {
    await using sites = await startSites(await environment())
    assert.deepEqual(await passkeyFaults(sites), [])
  })
  test(`of eight simultaneous set-ups one succeeds, on ${kind}`, { skip }, async () => {
    await using sites = await startSites(await environment())
    await hold(sites)
  })
}
