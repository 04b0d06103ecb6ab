import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createLog, type Log } from '@hearth/runtime'
import { operationsOf } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'
import { createTestAuthority } from './test-authority.ts'

const password = 'correct horse battery'
const bearer = 'bearer-of-the-house'
const foreign = 'token-of-somebody-else'
const certificate = createTestAuthority().issue({ names: ['guarded.test'] })
const keyLine = certificate.key.split('\n')[1] ?? ''

/** Secrets that nobody is shown, not even an administrator. */
const hiddenFromAll = new RegExp(
  [String.raw`\$2[aby]\$`, 'JDJ[aby]', password, 'another horse', 'PRIVATE KEY', keyLine, foreign]
    .map((text) => text.replaceAll(/[+/]/g, String.raw`\$&`))
    .join('|'),
)

/** A log of everything, as text. */
function recordedLog(): { log: Log; text: () => string } {
  const lines: string[] = []
  const note = (...words: unknown[]) =>
    void lines.push(
      JSON.stringify(words, (_, value: unknown) => (value instanceof Error ? describeError(value) : value)),
    )
  const log = createLog({ name: 'test', level: 'silent' })
  const child = () => log
  return {
    log: Object.assign(log, { trace: note, debug: note, info: note, warn: note, error: note, child }),
    text: () => lines.join('\n'),
  }
}

const describeError = ({ stack, cause, ...rest }: Error): object => ({ stack, cause, ...rest })

let sites: Sites
let admin: Browser
let siteId = 0
const recorded = recordedLog()
const heard: string[] = []
const leaving = new AbortController()

async function listen(): Promise<void> {
  const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ')
  const { body } = await fetch(`${sites.url}/api/v1/events`, { headers: { cookie }, signal: leaving.signal })
  void (async () => {
    for await (const part of body ?? []) heard.push(Buffer.from(part).toString())
  })().catch(() => undefined)
}

before(async () => {
  sites = await startSites({ API_TOKENS: 'on' }, { caddy: true, log: recorded.log })
  admin = await sites.signIn()
  await sites.addUser('grace', 'user')
  await listen()
  const upload = { name: 'Mine', certificate: certificate.chain, private_key: certificate.key }
  const added = await admin.json<{ id: number }>('POST', '/api/certificates', { json: upload })
  assert.equal(added.status, 201)
  const site = await makeSite(admin, {
    ...sayingSite('guarded', 'inside'),
    tls: { mode: 'custom', certificate_id: added.body.id },
    basic_auth: [{ username: 'ada', password }],
    request_headers: [{ op: 'set', name: 'Authorization', value: bearer }],
  })
  siteId = site.id
  const json = {
    basic_auth: [
      { username: 'ada', password: 'another horse' },
      { username: 'eve', password },
    ],
    response_headers: [{ op: 'set', name: 'X-Api-Key', value: bearer }],
  }
  assert.equal((await admin.call('PATCH', `/api/sites/${siteId}`, { json })).status, 200)
})
after(async () => {
  leaving.abort()
  await sites[Symbol.asyncDispose]()
})

/** Everything that can be read, as one text a path. */
async function readAll(browser: Browser): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const { method, path } of operationsOf(await openapiDocument())) {
    if (method !== 'GET' || /events|live$|^\/(docs|redoc|openapi)/.test(path)) continue
    const place = path.replace('{host}', 'guarded.test').replaceAll(/\{\w+\}/g, String(siteId))
    const query = path.endsWith('/explain') ? '?url=http://guarded.test/' : ''
    texts.set(path, await (await browser.call('GET', place + query)).text())
  }
  return texts
}

/** Brings something into what runs that this service has not made. */
async function changeByHand(): Promise<void> {
  const node = await sites.service.app.deploy.nodes.get(1)
  assert.ok(node)
  const { config, etag } = await node.client.readConfig()
  const server = (config as { apps: { http: { servers: { http: { routes: object[] } } } } }).apps.http.servers.http
  server.routes.push({
    match: [{ host: ['by-hand.test'] }],
    handle: [
      { handler: 'vars', api_token: foreign, client_secret: foreign, access_key: foreign },
      { handler: 'headers', request: { set: { 'X-Auth-Token': [foreign] } } },
    ],
  })
  assert.deepEqual(await node.client.replaceConfig(config as object, etag), { kind: 'accepted' })
}

test('hashes, passwords, keys and tokens appear in no response, for any caller', async () => {
  await changeByHand()
  const previewed = { json: { basic_auth: [{ username: 'ada', password }], request_headers: [] } }
  const previews = await Promise.all(
    [
      [`/api/sites/${siteId}/preview`, previewed],
      ['/api/sites/preview', { json: { ...sayingSite('new', 'x'), basic_auth: [{ username: 'ada', password }] } }],
    ].map(async ([path, options]) => (await admin.call('POST', path as string, options as object)).text()),
  )
  const texts = await readAll(admin)
  assert.match(texts.get('/api/caddy/drift') ?? '', /by-hand\.test/)
  assert.match(previews[0] ?? '', /basic_auth\.ada\.password/)
  previews.forEach((text, index) => texts.set(`preview ${index}`, text))
  for (const [path, text] of texts) {
    assert.doesNotMatch(text, hiddenFromAll, path)
    // Whoever edits a site sees its headers; what is only shown of it hides them.
    if (!/^\/api\/sites(\/\{id\})?$/.test(path)) assert.ok(!text.includes(bearer), path)
  }
})

test('a user sees no configuration of sites and servers', async () => {
  const texts = await readAll(await sites.signInAs('grace'))
  const told = [...texts].filter(([, text]) => !/Administrator access is required/.test(text))
  assert.ok(told.length > 5)
  for (const [path, text] of told)
    for (const word of [bearer, 'admin.sock', sites.folder, 'by-hand', 'respond', 'ada"'])
      assert.ok(!text.includes(word), `${path}: ${word}`)
  assert.doesNotMatch([...texts.values()].join('\n'), hiddenFromAll)
})

test('errors name the problem without the secret involved', async () => {
  const broken = certificate.key.replace(/\n.{10}/, '\nAAAAAAAAAA')
  const answers = await Promise.all(
    [
      ['/api/certificates', { name: 'X', certificate: certificate.chain, private_key: broken }],
      ['/api/certificates', { name: 'X', certificate: certificate.chain + certificate.key }],
      ['/api/sites', { ...sayingSite('wrong', 'x'), basic_auth: [{ username: 'a:b', password: `${password}\0` }] }],
      ['/api/sites', { ...sayingSite('wrong', 'x'), basic_auth: [{ username: 'ada', password, hash: password }] }],
      [
        '/api/sites',
        {
          ...sayingSite('wrong', 'x'),
          request_headers: [{ op: 'set', name: 'Authorization', value: `${bearer}\r\n` }],
        },
      ],
    ].map(([path, json]) => admin.json<EditAnswer>('POST', path as string, { json })),
  )
  for (const { status, body } of answers) {
    assert.equal(status, 422, JSON.stringify(body))
    assert.doesNotMatch(JSON.stringify(body), hiddenFromAll)
    assert.ok(!JSON.stringify(body).includes(bearer))
  }
})

test('events, the log and the service’s files contain no secrets either', async () => {
  const served = { authorization: `Basic ${Buffer.from(`ada:another horse`).toString('base64')}` }
  assert.equal((await askHost(sites.caddyPorts[1], 'guarded.test', { isSecure: true, headers: served })).status, 200)
  assert.ok(heard.join('').includes('"type":"site"') || heard.join('').includes('"type":"apply"'))
  for (const text of [heard.join(''), recorded.text()]) {
    assert.doesNotMatch(text, hiddenFromAll)
    assert.ok(!text.includes(bearer))
  }
  for (const name of (await readdir(sites.folder)).filter((file) => file.startsWith('sites.db'))) {
    const content = await readFile(join(sites.folder, name), 'latin1')
    for (const word of [password, 'another horse', keyLine, 'PRIVATE KEY']) assert.ok(!content.includes(word), name)
  }
})
