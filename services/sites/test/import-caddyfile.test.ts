import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { compileConfig } from '../src/caddy/compile.ts'
import { parseAdminAddress } from '../src/deploy/nodes/admin-address.ts'
import { createAdminClient } from '../src/deploy/nodes/admin-client.ts'
import { readCaddyfile } from '../src/import/caddyfile/read-caddyfile.ts'
import { checkSite } from '../src/sites/rules/rules.ts'
import { SiteCreate } from '../src/sites/schema.ts'
import { startCaddy, type RealCaddy } from './real-caddy.ts'
import { richCaddyfile } from './rich-caddyfile.ts'
import { makeRuleContext } from './rule-contexts.ts'
import { caddyAges } from './served-sites.ts'
import { makeNode, makeRecord } from './site-makers.ts'

for (const age of caddyAges)
  describe(`a Caddyfile on Caddy ${age.name}`, { skip: age.skip }, () => {
    let caddy: RealCaddy
    let origin: Server
    let upstream = ''

    before(async () => {
      caddy = await startCaddy(age.binary)
      origin = createServer(({ method, url, headers }, response) => {
        const seen = Object.entries(headers).filter(([name]) =>
          /^(x-(?!forwarded-for)|host|authorization|remote)/.test(name),
        )
        response.setHeader('Server', 'origin')
        response.setHeader('X-Inner', 'yes')
        response.statusCode = headers['x-forwarded-uri'] === '/closed' ? 403 : 200
        response.setHeader('Remote-User', 'eve')
        response.end(`${method} ${url} ${JSON.stringify(seen.toSorted(([one], [other]) => one.localeCompare(other)))}`)
      })
      origin.listen(0, '127.0.0.1')
      await once(origin, 'listening')
      upstream = `127.0.0.1:${(origin.address() as { port: number }).port}`
      const files = join(caddy.directory, 'www')
      await mkdir(join(files, 'sub'), { recursive: true })
      await writeFile(join(files, 'index.html'), '<h1>front</h1>')
      await writeFile(join(files, 'page.txt'), 'a page '.repeat(200))
      await writeFile(join(files, 'sub/index.html'), 'sub')
    })
    after(async () => {
      origin.close()
      await caddy.stop()
    })

    const requests: [host: string, path: string, headers?: Record<string, string>][] = [
      ['app.test', '/x?y=1', { 'x-forwarded-host': 'spoofed' }],
      ['app.test', '/old'],
      ['app.test', '/old/more'],
      ['app.test', '/away/with/path?q=1'],
      ['www.app.test', '/page', { 'accept-encoding': 'gzip' }],
      ['files.test', '/'],
      ['files.test', '/page.txt', { 'accept-encoding': 'gzip' }],
      ['files.test', '/nowhere'],
      ['files.test', '/sub/'],
      ['files.test', '/.env'],
      ['plain-files.test', '/nowhere'],
      ['plain-files.test', '/page.txt'],
      ['plain-files.test', '/sub/'],
      ['paths.test', '/'],
      ['paths.test', '/api/one?x=2'],
      ['paths.test', '/apis'],
      ['paths.test', '/fixed'],
      ['paths.test', '/fixed/more', { 'x-secret': 'gone' }],
      ['paths.test', '/static/page.txt'],
      ['paths.test', '/static/../page.txt'],
      ['private.test', '/'],
      ['private.test', '/', { authorization: `Basic ${Buffer.from('bob:wrong').toString('base64')}` }],
      ['private.test', '/', { authorization: `Basic ${Buffer.from('bob:secret-of-bob').toString('base64')}` }],
      ['asked.test', '/', { 'x-forwarded-uri': '/spoofed' }],
      ['asked.test', '/closed'],
      ['moved.test', '/a?b=c'],
      ['one.wild.test', '/'],
      ['two.wild.test', '/'],
      ['hello.test', '/'],
    ]

    /** The parts of each answer that a visitor notices. */
    const answers = async () => {
      // Certificates are made in the background.
      for (const host of new Set(requests.map(([name]) => name)))
        await eventually(
          () =>
            caddy.get(host, '/', { https: true }).then(
              () => true,
              () => false,
            ),
          (isThere) => isThere,
          { what: `a certificate for ${host}` },
        )
      const seen: unknown[] = []
      for (const [host, path, headers = {}] of requests) {
        const { status, headers: got, text, raw } = await caddy.get(host, path, { https: true, headers })
        const { date: _date, connection: _connection, 'alt-svc': _alternative, ...rest } = got
        seen.push([host, path, { status, rest, text: got['content-encoding'] ? raw.length : text }])
      }
      const plain = await caddy.get('only-plain.test', '/')
      const led = await caddy.get('app.test', '/x?y=1')
      return [...seen, [plain.status, plain.text], [led.status]]
    }

    test('gives the same responses after its import', async () => {
      const text = richCaddyfile(caddy, { upstream, basicAuth: age.name === '2.6.2' ? 'basicauth' : 'basic_auth' })
      // With its first certificates Caddy also tidies its storage, and may remove the folder it just made for one of them, which
      // then comes a minute later: it is to have tidied before.
      const tidying = await caddy.load({ admin: { listen: caddy.adminListen }, apps: { tls: {} } })
      assert.equal(tidying.status, 200, tidying.error)
      const loaded = await caddy.admin('POST', '/load', { type: 'text/caddyfile', text })
      assert.equal(loaded.status, 200, loaded.text)
      const expected = await answers()
      const client = createAdminClient(parseAdminAddress(caddy.adminListen))
      const { sites, report, acmeEmail } = await readCaddyfile(text, {
        adapt: (given) => client.adapt(given),
        timers: systemTimers,
      })
      assert.equal(acmeEmail, undefined)
      const about = report.map(({ outcome, site, what }) => `${outcome} ${site}: ${what}`)
      assert.deepEqual(about.sort(), [
        'changed app.test: /away without a slash at its end now counts too',
        'changed app.test: a health check that takes redirects for good; here only a status of 2xx is',
        'changed paths.test: /api without a slash at its end now counts too',
        'changed paths.test: /static without a slash at its end now counts too',
        'changed plain-files.test: /sub without a slash at its end now counts too',
        'left_out tricky.test: what is done for /a only (rewrite)',
      ])
      const rules = makeRuleContext({ staticBases: [caddy.directory], storedUsers: ['bob'] })
      for (const { site } of sites) assert.deepEqual(checkSite(SiteCreate.parse(site), rules).errors, [])
      const compiled = compileConfig(
        {
          sites: sites.map(({ site, hashes }, index) => ({
            id: index + 1,
            record: makeRecord(site),
            passwordHashes: hashes,
          })),
          options: { catchAll: 'not_found' },
        },
        makeNode(age.name === '2.6.2' ? 'oldest' : 'newest', {
          admin: { listen: caddy.adminListen },
          httpPort: caddy.httpPort,
          httpsPort: caddy.httpsPort,
          capabilities: age.capabilities,
        }),
      )
      assert.deepEqual(compiled.notes, [])
      assert.deepEqual(await caddy.load(compiled.config), { status: 200, error: '' })
      assert.deepEqual(await answers(), expected)
    })
  })
