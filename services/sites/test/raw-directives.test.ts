import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { rawTextProblem } from '../src/sites/raw/raw-text.ts'
import { readRawRoutes, wrapRawDirectives, type RawLimits } from '../src/sites/raw/raw-routes.ts'
import { rawLimitsOf } from '../src/sites/rules/rules.ts'
import { makeRuleContext } from './rule-contexts.ts'
import { caddyAges, startOrigin, startServedSites, type ServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

for (const age of caddyAges)
  describe(`raw directives, adapted by a real Caddy ${age.name}`, { skip: age.skip }, () => {
    let served: ServedSites
    let limits: RawLimits
    let root = ''

    before(async () => {
      served = await startServedSites(age)
      root = join(served.caddy.directory, 'www')
      await mkdir(root)
      await writeFile(join(root, 'a.txt'), 'file a')
      limits = rawLimitsOf(makeRuleContext({ staticBases: [root] }))
    })
    after(() => served[Symbol.asyncDispose]())

    /** As the service does it: the text is looked at, adapted, and what came of it is looked at. */
    async function accept(text: string) {
      const problem = rawTextProblem(text)
      if (problem !== undefined) return { problems: [problem] }
      const answer = await served.caddy.admin('POST', '/adapt', {
        type: 'text/caddyfile',
        text: wrapRawDirectives(text),
      })
      assert.equal(answer.status, 200, answer.text)
      return readRawRoutes((JSON.parse(answer.text) as { result: unknown }).result, limits)
    }

    test('accepted directives work as written', async () => {
      await using origin = await startOrigin('origin')
      const accepted = await accept(`
      root * ${root}
      header X-Raw yes
      handle_path /api/* {
        reverse_proxy 127.0.0.1:${origin.port}
      }
      redir /old /new 301
      @special header X-Special *
      respond @special "special for {host}"
      encode gzip
      file_server
    `)
      assert.ok('routes' in accepted, JSON.stringify(accepted))
      await served.serve([
        makeSite(
          1,
          { domains: ['a.test'], kind: 'raw', raw_directives: 'x', tls: { mode: 'off' } },
          { rawRoutes: accepted.routes },
        ),
        makeSite(2, { domains: ['b.test'], kind: 'raw', raw_directives: 'x', tls: { mode: 'off' } }),
      ])
      const get = (path: string, headers = {}) => served.caddy.get('a.test', path, { headers })
      assert.equal((await get('/api/x')).text, 'origin')
      assert.equal(origin.requests[0]?.url, '/x')
      const file = await get('/a.txt')
      assert.deepEqual([file.text, file.headers['x-raw']], ['file a', 'yes'])
      assert.equal((await get('/old')).headers.location, '/new')
      assert.equal((await get('/', { 'X-Special': '1' })).text, 'special for a.test')
      assert.equal((await served.caddy.get('b.test', '/')).status, 503)
    })

    test('a file server without a root serves nothing', async () => {
      const accepted = await accept('file_server browse')
      assert.ok('routes' in accepted)
      await served.serve([
        makeSite(
          1,
          { domains: ['a.test'], kind: 'raw', raw_directives: 'x', tls: { mode: 'off' } },
          { rawRoutes: accepted.routes },
        ),
      ])
      assert.equal((await served.caddy.get('a.test', '/')).status, 404)
    })

    test('directives that reach beyond the site are refused with the reason', async () => {
      for (const [text, problem] of [
        ['log', /more than routes/],
        ['tls internal', /more than routes/],
        ['handle_errors {\n\trespond sorry\n}', /more than routes/],
        ['templates', /handler "templates"/],
        ['acme_server', /handler "acme_server"/],
        ['metrics /metrics', /handler "metrics"/],
        ['root * /etc\nfile_server', /directory "\/etc"/],
        ['file_server {\n\troot /etc\n}', /directory "\/etc"/],
        ['root * {path}\nfile_server', /directory/],
        ['vars {header.X} /etc', /variables/],
        ['root * /srv\nfile_server {\n\tbrowse /etc/passwd\n}', /template|directory/],
        ['reverse_proxy localhost:2019', /upstream "localhost:2019" .*must not be a site/],
        ['reverse_proxy unix//run/caddy/admin.sock', /must not be a site/],
        ['reverse_proxy 169.254.169.254:80', /metadata/],
        ['reverse_proxy {header.X}:80', /fixed address/],
        ['reverse_proxy a:1 {\n\thealth_uri /x\n\thealth_port 2019\n}', /must not have port/],
        ['php_fastcgi 127.0.0.1:9000', /transport "fastcgi"/],
        ['reverse_proxy {\n\tdynamic a localhost 80\n}', /dynamic_upstreams/],
        [
          'reverse_proxy https://a:1 {\n\ttransport http {\n\t\ttls_trusted_ca_certs /etc/ssl/ca.pem\n\t}\n}',
          /root_ca_pem_files/,
        ],
        ['handle {\n\thandle {\n\t\ttemplates\n\t}\n}', /templates/],
        ['reverse_proxy a:1 {\n\thandle_response {\n\t\ttemplates\n\t}\n}', /templates/],
      ] as const) {
        const accepted = await accept(text)
        assert.ok('problems' in accepted, text)
        assert.match(accepted.problems.join('; '), problem, text)
      }
    })

    test('an expression cannot read the environment or files, in any spelling', async () => {
      for (const text of [
        'caddyPlaceholder(request, "env.PATH").startsWith("/")',
        'caddyPlaceholder (request, "en" + "v.PATH") != ""',
        String.raw`header({'X': '{\x65nv.PATH}'})`,
        "file\t({'root': '/etc', 'try_files': ['passwd']})",
        "! file({'root': '/etc', 'try_files': ['passwd']})",
        "vars_regexp('{http.request.header.X}', '^a')",
      ]) {
        const accepted = await accept(`@it expression \`${text}\`\nrespond @it "told"`)
        assert.ok('problems' in accepted, text)
        assert.match(accepted.problems.join('; '), /expression/, text)
      }
      const harmless = await accept('@it expression `path("/files/*") && {method} == "GET"`\nrespond @it "fine"')
      assert.ok('routes' in harmless, JSON.stringify(harmless))
    })

    test('a second site, an app, an id or a placeholder in the adapted configuration is refused', () => {
      const result = (inner: object[], more: object = {}) => ({
        apps: {
          http: {
            servers: {
              srv0: {
                listen: [':80'],
                routes: [
                  {
                    match: [{ host: ['hearth-raw.invalid'] }],
                    handle: [{ handler: 'subroute', routes: inner }],
                    terminal: true,
                  },
                ],
                ...more,
              },
            },
          },
        },
      })
      const respond = { handle: [{ handler: 'static_response', body: 'x' }] }
      const { apps } = result([respond])
      const site = apps.http.servers.srv0.routes[0] ?? {}
      assert.ok('routes' in readRawRoutes(result([respond]), limits))
      for (const [adapted, problem] of [
        [{ apps, admin: {} }, /more than/],
        [{ apps: { ...apps, tls: {} } }, /more than/],
        [result([respond], { errors: {} }), /more than/],
        [result([respond], { routes: [site, site] }), /more than/],
        [result([respond], { routes: [{ ...site, match: [{ host: ['other.test'] }] }] }), /more than/],
        [result([{ ...respond, '@id': 'site-1' }]), /@id/],
        [result([{ handle: [{ handler: 'static_response', body: '{ENV.HOME}' }] }]), /environment/],
        [result([{ match: [{ expression: "file({'root':'/etc'})" }], ...respond }]), /files/],
        [result([{ match: [{ expression: "file\t({'root':'/etc'})" }], ...respond }]), /files/],
        [result([{ match: [{ expression: "file//\n({'root':'/etc'})" }], ...respond }]), /comments/],
        [result([{ match: [{ expression: { expr: 'ph(request, "en" + "v.A") == ""' } }], ...respond }]), /by its name/],
        [result([{ match: [{ expression: String.raw`header({'X': '{\x65nv.A}'})` }], ...respond }]), /backslash/],
        [
          result([{ match: [{ vars_regexp: { '{http.request.header.X}': { pattern: 'x' } } }], ...respond }]),
          /matcher/,
        ],
        [result([{ handle: [{ handler: 'constructor' }] }]), /not allowed/],
        [null, /more than/],
      ] as const) {
        const read = readRawRoutes(adapted, limits)
        assert.match('problems' in read ? read.problems.join('; ') : 'accepted', problem, JSON.stringify(adapted))
      }
    })
  })
