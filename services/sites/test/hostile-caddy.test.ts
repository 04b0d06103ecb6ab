import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { startSites, type Browser, type Sites } from './in-process.ts'

/** Answers of an endpoint that is not, or not only, a Caddy. */
type Answer = (response: ServerResponse) => void

const secret = 'word-of-another-server'
const running =
  (config: string): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json', etag: '"/config/ 1"' }).end(config)

const deep = (levels: number) => `{"apps":{"http":${'['.repeat(levels)}${']'.repeat(levels)}}}`
const wide = (count: number) => `{"apps":{"http":{"list":[${'1,'.repeat(count)}1]}}}`

const nonsense: Record<string, Answer> = {
  'a list': running('[]'),
  'a text': running(`"${secret}"`),
  'a number': running('5'),
  'no JSON': running(`<html>${secret}</html>`),
  'apps that are none': running('{"apps":"none"}'),
  'an admin block that is none': running('{"admin":{"listen":5,"origins":7}}'),
  'a configuration of a hundred thousand levels': running(deep(100_000)),
  'an answer without end': running(`"${'x'.repeat(17 * 1024 * 1024)}"`),
  'an error page': (response) => response.writeHead(404).end(secret),
  'a page without a tag': (response) => response.writeHead(200).end(`{"error":{"is":"${secret}"}}`),
  'a redirect to metadata': (response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(secret),
  'half of an answer': (response) => {
    response.writeHead(200, { etag: '"x"', 'content-length': 100 }).write('{"apps"', () => response.destroy())
  },
}

let answer: Answer = running('null')
const endpoint = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    // It plays along until it is asked what it runs.
    if (request.method === 'GET') answer(response)
    else response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"unknown module"}')
  })
})
let address = ''
let sites: Sites
let admin: Browser

before(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`
  sites = await startSites({ CADDY_ADMIN: address })
  admin = await sites.signIn()
  // The look of the start is over when this one is.
  await ask('GET', '/api/caddy/onboarding')
})
after(async () => {
  await sites[Symbol.asyncDispose]()
  endpoint.closeAllConnections()
  endpoint.close()
})

async function ask(method: string, path: string, json?: object): Promise<[number, string]> {
  const response = await admin.call(method, path, json === undefined ? {} : { json })
  return [response.status, await response.text()]
}

for (const [name, given] of Object.entries(nonsense))
  test(`an endpoint that answers with ${name} is not taken for Caddy, and its text is not passed on`, async () => {
    answer = given
    const [status, onboarding] = await ask('GET', '/api/caddy/onboarding')
    assert.equal(status, 200)
    const { reachable, error } = JSON.parse(onboarding) as { reachable: boolean; error: string }
    assert.deepEqual([reachable, typeof error], [false, 'string'])
    const texts = [onboarding]
    for (const [method, path, expected, json] of [
      ['GET', '/api/caddy/status', 200],
      ['GET', '/api/v1/ready', 503],
      ['GET', '/api/nodes/1', 200],
      ['POST', '/api/caddy/onboard', 503, { mode: 'replace', confirm_exclusive: true }],
      ['POST', '/api/nodes', 503, { name: 'other', admin_url: address.replace('127.0.0.1', 'localhost') }],
      ['POST', '/api/caddy/import/config', 503, { from_node: 1, dry_run: true }],
      ['GET', '/api/v1/traffic/upstreams', 200],
    ] as const) {
      const [got, text] = await ask(method, path, json)
      assert.equal(got, expected, `${method} ${path}: ${text.slice(0, 300)}`)
      texts.push(text)
    }
    const [offered, authority] = await ask('GET', '/api/nodes/1/authority')
    assert.ok(offered === 503 || offered === 404, authority)
    texts.push(authority)
    assert.ok(!texts.join('\n').includes(secret))
  })

test('large configurations are read, also with hundreds of thousands of values', async () => {
  for (const config of [wide(500_000), `{"apps":{"http":{"text":"${'x'.repeat(12_000_000)}"}}}`]) {
    answer = running(config)
    const [status, text] = await ask('GET', '/api/caddy/onboarding')
    assert.equal(status, 200)
    const { reachable, is_blank: isBlank } = JSON.parse(text) as { reachable: boolean; is_blank: boolean }
    assert.deepEqual([reachable, isBlank], [true, false])
  }
})

test('an admin endpoint outside this machine and private networks is refused before any request', async () => {
  for (const url of [
    'http://169.254.169.254',
    'http://8.8.8.8:2019',
    'http://100.100.100.200',
    'http://[fe80::1]:2019',
  ])
    for (const [path, json] of [
      ['/api/caddy/onboard', { admin_url: url }],
      ['/api/nodes', { name: 'far', admin_url: url }],
    ] as const) {
      const [status, text] = await ask('POST', path, json)
      assert.deepEqual([status, text.includes('"field":"admin_url"')], [422, true], text)
    }
})

test('only administrators see the errors of a server', async () => {
  answer = (response) => response.writeHead(500).end('{"error":"pool of 10.9.8.7 is empty"}')
  await sites.addUser('grace', 'user')
  assert.match((await ask('GET', '/api/nodes/1'))[1], /10\.9\.8\.7/)
  const errorFor = async (browser: Browser) =>
    (await browser.json<{ nodes: { error: string | null }[] }>('GET', '/api/v1/dashboard/metrics')).body.nodes[0]?.error
  assert.match((await errorFor(admin)) ?? '', /10\.9\.8\.7/)
  assert.equal(await errorFor(await sites.signInAs('grace')), null)
})
