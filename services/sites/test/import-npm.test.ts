import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { hash } from 'bcryptjs'
import { compileConfig } from '../src/caddy/compile.ts'
import { readNpmDatabase } from '../src/import/npm/npm-database.ts'
import { readNpm } from '../src/import/npm/read-npm.ts'
import { checkSite } from '../src/sites/rules/rules.ts'
import { SiteCreate } from '../src/sites/schema.ts'
import { makeNpmDatabase } from './npm-fixture.ts'
import { startCaddy } from './real-caddy.ts'
import { makeRuleContext } from './rule-contexts.ts'
import { caddyAges } from './served-sites.ts'
import { makeNode, makeRecord } from './site-makers.ts'

for (const age of caddyAges)
  describe(`Nginx Proxy Manager hosts on Caddy ${age.name}`, { skip: age.skip }, () => {
    test('are proxied, guarded, redirected and disabled as before', async () => {
      await using caddy = await startCaddy(age.binary)
      const origin = createServer(({ url, headers }, response) =>
        response.end(`${url} ${headers.host} ${headers.authorization ?? '-'}`),
      )
      origin.listen(0, '127.0.0.1')
      await once(origin, 'listening')
      const { port } = origin.address() as { port: number }
      const forward = { forward_host: '127.0.0.1', forward_port: port }
      const database = await makeNpmDatabase({
        proxy_host: [
          {
            id: 1,
            domain_names: ['open.test'],
            ...forward,
            locations: [{ path: '/api/', forward_scheme: 'http', ...forward }],
          },
          { id: 2, domain_names: ['guarded.test'], ...forward, access_list_id: 1 },
          { id: 3, domain_names: ['closed.test'], ...forward, access_list_id: 2 },
          { id: 4, domain_names: ['off.test'], ...forward, enabled: 0 },
        ],
        redirection_host: [
          {
            id: 1,
            domain_names: ['moved.test'],
            forward_domain_name: 'new.test/x',
            forward_scheme: 'https',
            forward_http_code: 301,
            preserve_path: 1,
          },
        ],
        dead_host: [{ id: 1, domain_names: ['dead.test'] }],
        access_list: [
          { id: 1, name: 'users', satisfy_any: 1, pass_auth: 0 },
          { id: 2, name: 'elsewhere' },
        ],
        access_list_auth: [{ access_list_id: 1, username: 'bob', password: 'secret' }],
        access_list_client: [{ access_list_id: 2, address: '192.0.2.0/24', directive: 'allow' }],
      })
      const { sites, report } = await readNpm(await readNpmDatabase(database), {
        hashPassword: (password) => hash(password, 4),
      })
      assert.deepEqual(report, [])
      const rules = makeRuleContext({ storedUsers: ['bob'] })
      for (const { site } of sites) assert.deepEqual(checkSite(SiteCreate.parse(site), rules).errors, [])
      const { config, notes } = compileConfig(
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
      assert.deepEqual(notes, [])
      assert.deepEqual(await caddy.load(config), { status: 200, error: '' })
      const authorization = `Basic ${Buffer.from('bob:secret').toString('base64')}`
      const answers: unknown[] = []
      for (const [host, path, headers] of [
        ['open.test', '/api/x', {}],
        ['guarded.test', '/', {}],
        ['guarded.test', '/', { authorization }],
        ['closed.test', '/', {}],
        ['off.test', '/', {}],
        ['moved.test', '/a?b=c', {}],
        ['dead.test', '/', {}],
      ] as const) {
        const { status, text, headers: got } = await caddy.get(host, path, { headers })
        answers.push([host, status, got.location ?? text])
      }
      origin.close()
      assert.deepEqual(answers, [
        ['open.test', 200, '/api/x open.test -'],
        ['guarded.test', 401, ''],
        ['guarded.test', 200, '/ guarded.test -'],
        ['closed.test', 403, 'Forbidden\n'],
        ['off.test', 404, 'There is no such site here.\n'],
        ['moved.test', 301, 'https://new.test/x/a?b=c'],
        ['dead.test', 404, 'Not found\n'],
      ])
    })
  })
