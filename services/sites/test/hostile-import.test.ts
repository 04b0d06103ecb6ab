import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ImportAnswer } from '../src/import/schema.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { askHost, makeSite, sayingSite } from './served.ts'

let sites: Sites
let admin: Browser

before(async () => {
  sites = await startSites({}, { caddy: true })
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const importing = (kind: 'config' | 'caddyfile', json: object) =>
  admin.json<ImportAnswer & { code?: string }>('POST', `/api/caddy/import/${kind}`, { json })

const configOf = (...routes: object[]) => ({ apps: { http: { servers: { main: { listen: [':80'], routes } } } } })
const route = (host: string, ...handle: object[]) => ({ match: [{ host: [host] }], handle, terminal: true })
const proxy = (dial: string) => ({ handler: 'reverse_proxy', upstreams: [{ dial }] })

test('an import creates no site that the rules refuse and leaves none running', async () => {
  await makeSite(admin, sayingSite('mine', 'mine'))
  const { port } = new URL(sites.url)
  const config = configOf(
    route('metadata.test', proxy('169.254.169.254:80')),
    route('mapped.test', proxy('[::ffff:a9fe:a9fe]:80')),
    route('self.test', proxy(`127.0.0.1:${port}`)),
    route('admin.test', proxy(`unix/${sites.folder}/caddy/admin.sock`)),
    route('files.test', { handler: 'vars', root: '/etc' }, { handler: 'file_server' }),
    route('mine.test', { handler: 'static_response', body: 'stolen' }),
    route('good.test', { handler: 'static_response', body: 'good' }),
    route('secret.test', { handler: 'static_response', body: '{env.PATH}{file./etc/passwd}' }),
  )
  const { status, body } = await importing('config', { config, dry_run: false })
  assert.equal(status, 200, JSON.stringify(body))
  const outcomes = body.sites.flatMap(({ status: outcome, domains }) => (outcome === 'created' ? domains : []))
  const created = new Set(outcomes)
  for (const name of ['metadata', 'mapped', 'self', 'admin', 'files', 'mine'])
    assert.ok(!created.has(`${name}.test`), `${name}: ${JSON.stringify(body.sites)}`)
  assert.equal((await askHost(sites.caddyPorts[0], 'mine.test')).text, 'mine')
  for (const name of ['metadata', 'files', 'admin'])
    assert.equal((await askHost(sites.caddyPorts[0], `${name}.test`)).status, 404, name)
  assert.ok(created.has('good.test'), JSON.stringify(body.sites))
  assert.equal((await askHost(sites.caddyPorts[0], 'good.test')).text, 'good')
  const answered = (await askHost(sites.caddyPorts[0], 'secret.test')).text
  assert.ok(!answered.includes('/bin') && !answered.includes('root:'), answered)
})

test('a Caddyfile cannot read files or variables of the server', async () => {
  for (const text of [
    'import /etc/passwd\na.test {\n}',
    'a.test {\n\timport /etc/passwd\n}',
    'a.test {\n\trespond {$PATH}\n}',
    'a.test {\n\t"import" /etc/passwd\n}',
    '(x) {\n\timport /etc/passwd\n}\na.test {\n\timport x\n}',
    'a.test {\n\ttls {\n\t\tclient_auth {\n\t\t\tmode require_and_verify\n\t\t\ttrusted_ca_cert_file /etc/passwd\n\t\t}\n\t}\n}',
  ]) {
    const { body } = await importing('caddyfile', { text, dry_run: true })
    assert.doesNotMatch(JSON.stringify(body), /root:|\/usr\/bin:/, text)
    assert.equal(body.counts?.new ?? 0, 0, `${text}: ${JSON.stringify(body)}`)
  }
})

test('a Caddyfile that reads nothing is accepted', async () => {
  const { body } = await importing('caddyfile', { text: 'a.test {\n\trespond fine\n}', dry_run: true })
  assert.equal(body.counts.new, 1, JSON.stringify(body))
})

test('directives are imported only where raw sites are allowed', async () => {
  const { status, body } = await importing('caddyfile', { text: 'a.test {\n\trespond x\n}', raw: true, dry_run: true })
  assert.deepEqual([status, body.code], [403, 'raw_not_allowed'])
})
