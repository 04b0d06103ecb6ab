import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAddressSet, createServer } from '@hearth/http'
import { createLog, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { makeNpmDatabase } from '../../test/npm-fixture.ts'
import { aboutFor } from '../about.ts'
import { toError, type ErrorBody } from '../problems.ts'
import { runImportCommand, type ImportCommandDependencies } from './import-command.ts'
import { importRoutes } from './routes.ts'
import type { ImportAnswer } from './schema.ts'
import { Imports } from './imports.ts'
import type { NewSite } from './run-import.ts'

const running = (host: string) => ({
  apps: {
    http: {
      servers: {
        srv0: {
          listen: [':443'],
          routes: [
            { match: [{ host: [host] }], handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: '10.0.0.5:80' }] }] },
          ],
        },
      },
    },
  },
})

/** Imports whose sites go into a list; `caddy.adapts` decides what Caddy says to texts. */
async function openImports() {
  const folder = await temporaryDirectory('imports')
  const created: (NewSite & { author: string })[] = []
  const caddy = {
    adapts: (): Promise<{ config: unknown; warnings: string[] }> =>
      Promise.resolve({ config: running('text.example.org'), warnings: [] }),
  }
  const settings = { isRawAllowed: false }
  const imports = new Imports({
    target: {
      existing: () => Promise.resolve({ names: new Set(), domains: new Map() }),
      createMany(sites, author) {
        for (const site of sites) created.push({ ...site, author })
        return Promise.resolve(sites.map((_site, index) => ({ id: index + 1 })))
      },
    },
    adapt: () => caddy.adapts(),
    readNode: (id) => {
      if (id === 3) return Promise.reject(new Error('no answer'))
      return Promise.resolve(id === 1 ? { config: running('node.example.org'), options: {} } : undefined)
    },
    hashPassword: (password) => Promise.resolve(`hash of ${password}`),
    isRawAllowed: () => settings.isRawAllowed,
    timers: systemTimers,
    folder: folder.path,
  })
  return { imports, created, caddy, settings, folder }
}

describe('the endpoints', () => {
  let bench: Awaited<ReturnType<typeof openImports>>
  let app: Awaited<ReturnType<typeof createServer>>

  before(async () => {
    bench = await openImports()
    app = await createServer({
      routes: importRoutes(bench.imports),
      about: aboutFor({ hasApiTokens: false }),
      guard: () => Promise.resolve({ username: 'ada' }),
      toError,
      trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
      log: createLog({ name: 'test', level: 'silent' }),
      pages: '',
    })
  })
  after(async () => {
    await app.close()
    await bench.folder[Symbol.asyncDispose]()
  })

  const send = async (what: string, payload: object | Buffer, type = 'application/json') => {
    const url = `/api/caddy/import/${what}`
    const response = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    return { status: response.statusCode, body: response.json<ImportAnswer & ErrorBody>() }
  }
  const upload = async (file: Uint8Array, isDryRun: string) => {
    const head = `--b\r\ncontent-disposition: form-data; name="dry_run"\r\n\r\n${isDryRun}\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="database.sqlite"\r\n\r\n`
    return send(
      'npm',
      Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]),
      'multipart/form-data; boundary=b',
    )
  }

  test('all require a recently confirmed administrator and have a rate limit', () => {
    const specs = importRoutes(bench.imports).map(({ spec }) => [spec.access, spec.limit])
    assert.equal(specs.length, 6)
    for (const spec of specs) assert.deepEqual(spec, ['recent-admin', '5/min'])
  })

  test('a Caddyfile is imported, as a dry run and for real', async () => {
    const dry = await send('caddyfile', { text: 'text.example.org', dry_run: true })
    assert.deepEqual([dry.status, dry.body.counts.new, bench.created.length], [200, 1, 0])
    const real = await send('caddyfile', { text: 'text.example.org' })
    assert.deepEqual([real.status, real.body.sites[0]?.site_id, bench.created[0]?.author], [200, 1, 'ada'])
    assert.equal(bench.created[0]?.input.domains[0], 'text.example.org')
  })

  test('raw sites are created only where they are allowed', async () => {
    const refused = await send('caddyfile', { text: 'a', raw: true })
    assert.deepEqual([refused.status, refused.body.code], [403, 'raw_not_allowed'])
    bench.settings.isRawAllowed = true
    assert.equal((await send('caddyfile', { text: 'a', raw: true, dry_run: true })).status, 200)
  })

  test('a configuration is imported, from the request or from a node', async () => {
    const given = await send('config', { config: running('given.example.org'), dry_run: true })
    assert.deepEqual(
      given.body.sites.map(({ domains }) => domains),
      [['given.example.org']],
    )
    const node = await send('config', { from_node: 1, dry_run: true })
    assert.deepEqual(
      node.body.sites.map(({ domains }) => domains),
      [['node.example.org']],
    )
    assert.equal((await send('config', { from_node: 2 })).status, 400)
    assert.equal((await send('config', { from_node: 3 })).status, 503)
    assert.equal((await send('config', {})).status, 422)
    assert.equal((await send('config', { config: {}, from_node: 1 })).status, 422)
  })

  test('a file of Traefik is imported, and one that is none is refused with its reason', async () => {
    const text = `http:
  routers: { a: { rule: "Host(\`traefik.example.org\`)", service: s } }
  services: { s: { loadBalancer: { servers: [{ url: "http://10.0.0.7" }] } } }`
    const { status, body } = await send('traefik', { text, dry_run: true })
    assert.deepEqual([status, body.counts.new, body.sites[0]?.domains], [200, 1, ['traefik.example.org']])
    const refused = await send('traefik', { text: 'entryPoints: {}' })
    assert.equal(refused.status, 422)
    assert.match(refused.body.detail, /^The text is the static configuration/)
  })

  test('rules of Zoraxy are imported, and a text that is none is refused with its reason', async () => {
    const rule = {
      ProxyType: 1,
      RootOrMatchingDomain: 'zoraxy.example.org',
      ActiveOrigins: [{ OriginIpOrDomain: 'a:1' }],
    }
    const { status, body } = await send('zoraxy', { text: JSON.stringify(rule), dry_run: true })
    assert.deepEqual([status, body.counts.new, body.sites[0]?.domains], [200, 1, ['zoraxy.example.org']])
    const refused = await send('zoraxy', { text: '{}' })
    assert.equal(refused.status, 422)
    assert.match(JSON.stringify(refused.body), /The text is no rule of Zoraxy/)
  })

  test('server blocks of nginx are imported, and a text that is none is refused with its line', async () => {
    const text = 'server { listen 80; server_name nginx.example.org; location / { proxy_pass http://10.0.0.7; } }'
    const { status, body } = await send('nginx', { text, dry_run: true })
    assert.deepEqual([status, body.counts.new, body.sites[0]?.domains], [200, 1, ['nginx.example.org']])
    const refused = await send('nginx', { text: 'server {' })
    assert.equal(refused.status, 422)
    assert.match(refused.body.detail, /^The text is no configuration of nginx: line 1: /)
  })

  test('a database of Nginx Proxy Manager is imported', async () => {
    const database = await makeNpmDatabase({
      proxy_host: [{ id: 1, domain_names: ['npm.example.org'], forward_host: 'a', forward_port: 1 }],
    })
    const { status, body } = await upload(database, 'true')
    assert.deepEqual(
      [status, body.dry_run, body.sites.map(({ domains }) => domains)],
      [200, true, [['npm.example.org']]],
    )
    const wrong = await upload(Buffer.from('-- MySQL'), 'true')
    assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.field], [422, 'file'])
  })

  test('a Caddy that does not answer produces an error, not an empty report', async () => {
    bench.caddy.adapts = () => Promise.reject(new Error('no socket'))
    assert.equal((await send('caddyfile', { text: 'a' })).status, 503)
  })

  test('only one import runs at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<{ config: unknown; warnings: string[] }>()
    bench.caddy.adapts = () => promise
    const request = { isDryRun: true, author: 'ada' }
    const first = bench.imports.caddyfile('a', { ...request, isRawWanted: false })
    await assert.rejects(bench.imports.config({}, request), (error) => toError(error).status === 409)
    resolve({ config: {}, warnings: [] })
    assert.equal((await first).counts.found, 0)
    assert.equal((await bench.imports.config({}, request)).counts.found, 0)
  })
})

describe('the command', () => {
  const files = new Map<string, Uint8Array>()
  const run = async (kind: 'caddyfile' | 'npm', file: string, isDryRun: boolean) => {
    const bench = await openImports()
    await using _folder = bench.folder
    const lines: string[] = []
    const parts: ImportCommandDependencies = {
      withImports: (work: (imports: Imports) => Promise<ImportAnswer>) => work(bench.imports),
      readFile: (path) => {
        const bytes = files.get(path)
        return bytes === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(bytes)
      },
      print: (line) => void lines.push(line),
    }
    const code = await runImportCommand({ kind, file, isDryRun, customSsl: '/ssl' }, parts)
    return { code, lines, created: bench.created }
  }

  test('prints what was found, what was left out, and the number of sites', async () => {
    files.set('Caddyfile', Buffer.from('text.example.org'))
    const dry = await run('caddyfile', 'Caddyfile', true)
    assert.deepEqual([dry.code, dry.created], [0, []])
    assert.deepEqual(dry.lines, [
      'new         text.example.org (proxy): text.example.org',
      '1 of 1 sites can be created; nothing was changed',
    ])
    files.set('evil', Buffer.from('import /etc/passwd'))
    const refused = await run('caddyfile', 'evil', false)
    assert.match(refused.lines[0] ?? '', /^left out +line 1: an import/)
  })

  test('reads certificates from the directory beside the database', async () => {
    const database = await makeNpmDatabase({
      certificate: [{ id: 4, provider: 'other' }],
      proxy_host: [{ id: 1, domain_names: ['npm.example.org'], forward_host: 'a', forward_port: 1, certificate_id: 4 }],
    })
    files.set('database.sqlite', database)
    files.set('/ssl/npm-4/fullchain.pem', Buffer.from('LEAF'))
    files.set('/ssl/npm-4/privkey.pem', Buffer.from('KEY'))
    const { code, lines, created } = await run('npm', 'database.sqlite', false)
    assert.deepEqual([code, created[0]?.input.tls.mode], [0, 'auto'])
    assert.match(lines.join('\n'), /its certificate, which has to be uploaded \(certificates are not taken over here\)/)
    assert.equal(lines.at(-1), '1 of 1 sites were created')
  })
})
