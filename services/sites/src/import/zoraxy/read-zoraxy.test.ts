import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SiteCreate } from '../../sites/schema.ts'
import { readZoraxy } from './read-zoraxy.ts'
import { ZoraxyUnreadable } from './zoraxy-files.ts'

/** A rule as Zoraxy 3 writes it, with the members that matter here. */
const rule = (more: object = {}) => ({
  ProxyType: 1,
  RootOrMatchingDomain: 'App.example.org',
  MatchingDomainAlias: ['www.example.org'],
  ActiveOrigins: [
    { OriginIpOrDomain: '10.0.0.5:8080', RequireTLS: false, SkipCertValidations: false, Weight: 1, MaxConn: 0 },
  ],
  InactiveOrigins: [],
  UseStickySession: false,
  Disabled: false,
  BypassGlobalTLS: false,
  VirtualDirectories: [],
  HeaderRewriteRules: { UserDefinedHeaders: [], RequestHostOverwrite: '', HSTSMaxAge: 0 },
  AuthenticationProvider: { AuthMethod: 0, BasicAuthCredentials: [] },
  RequireRateLimit: false,
  AccessFilterUUID: 'default',
  ...more,
})
const filter = (more: object) => ({
  ID: 'f1',
  Name: 'Family',
  BlacklistEnabled: false,
  WhitelistEnabled: false,
  WhiteListCountryCode: {},
  WhiteListIP: {},
  BlackListContryCode: {},
  BlackListIP: {},
  ...more,
})
const isDefault = (file: object) => 'ID' in file && file.ID === 'default'
const readAlone = (...files: object[]) => {
  const { sites, report } = readZoraxy(files.map((file) => JSON.stringify(file, null, 1)).join('\n'))
  return {
    sites: sites.map(({ site }) => SiteCreate.parse(site)),
    report: report.map(({ outcome, path, what }) => `${outcome} ${path}: ${what}`),
  }
}
/** Reads files with a default filter, which Zoraxy always has. */
const read = (...files: object[]) =>
  files.some(isDefault) ? readAlone(...files) : readAlone(...files, filter({ ID: 'default' }))
const readOne = (more: object, ...files: object[]) => {
  const { sites, report } = read(rule(more), ...files)
  const [site = assert.fail('there is no site')] = sites
  return { site, report }
}

describe('rules of Zoraxy', () => {
  test('a rule is imported with its names, origins, headers and virtual directories', () => {
    const { site, report } = readOne({
      ActiveOrigins: [
        { OriginIpOrDomain: '10.0.0.5:8443', RequireTLS: true, SkipCertValidations: true, Weight: 2 },
        { OriginIpOrDomain: '10.0.0.6:8443', RequireTLS: true, SkipCertValidations: true, Weight: 1 },
      ],
      HeaderRewriteRules: {
        UserDefinedHeaders: [
          { Direction: 0, Key: 'X-From', Value: 'outside', IsRemove: false },
          { Direction: 1, Key: 'Server', Value: '', IsRemove: true },
        ],
        HSTSMaxAge: 31_536_000,
      },
      VirtualDirectories: [{ MatchingPath: '/api', Domain: '10.0.0.7:90', RequireTLS: false, Disabled: false }],
    })
    assert.deepEqual(report, [])
    assert.deepEqual(site.domains, ['app.example.org', 'www.example.org'])
    assert.deepEqual(
      site.upstreams.map(({ url, weight }) => [url, weight]),
      [
        ['https://10.0.0.5:8443', 2],
        ['https://10.0.0.6:8443', 1],
      ],
    )
    assert.deepEqual([site.lb.policy, site.upstream_tls.verify], ['weighted_round_robin', false])
    assert.deepEqual(site.request_headers, [{ op: 'set', name: 'X-From', value: 'outside' }])
    assert.deepEqual(site.response_headers, [{ op: 'delete', name: 'Server', value: '' }])
    assert.equal(site.hsts?.max_age, 31_536_000)
    assert.deepEqual(
      site.paths.map(({ match, path, strip, upstreams }) => [match, path, strip, upstreams[0]?.url]),
      [['prefix', '/api', true, 'http://10.0.0.7:90']],
    )
    assert.deepEqual([site.tls.mode, site.force_https, site.enabled], ['auto', true, true])
  })

  test('visitors stay with one origin, and plain HTTP stays open, where it was so', () => {
    const origins = [{ OriginIpOrDomain: 'a.lan:80' }, { OriginIpOrDomain: 'b.lan:80' }]
    const { site } = readOne({
      ActiveOrigins: origins,
      UseStickySession: true,
      BypassGlobalTLS: true,
      RootOrMatchingDomain: 'a.lan',
      MatchingDomainAlias: [],
    })
    assert.deepEqual([site.lb.policy, site.force_https, site.tls.mode], ['cookie', false, 'internal'])
  })

  test('a rule that is switched off stays so; the default site and names with patterns are left out', () => {
    assert.equal(readOne({ Disabled: true }).site.enabled, false)
    const { sites, report } = read(
      rule({ ProxyType: 0, RootOrMatchingDomain: '/' }),
      rule({ RootOrMatchingDomain: 'app-?.example.org', MatchingDomainAlias: [] }),
      rule({ RootOrMatchingDomain: '*.example.org', MatchingDomainAlias: ['a*.example.com'] }),
    )
    assert.deepEqual(
      sites.map(({ domains }) => domains),
      [['*.example.org']],
    )
    assert.deepEqual(report, [
      'left_out /: the default site, for names that have no rule',
      'left_out app-?.example.org: a rule whose names are patterns other than *.example.org',
      'lost *.example.org: the name a*.example.com, which is a pattern other than *.example.org',
    ])
  })

  test('what asked visitors for a password, or more, does not open', () => {
    for (const [authentication, reason] of [
      [
        { AuthMethod: 1, BasicAuthCredentials: [{ Username: 'ada', PasswordHash: 'ab'.repeat(64) }] },
        'the passwords of ada',
      ],
      [{ AuthMethod: 2, ForwardAuthURL: '' }, 'a forward authentication without an address'],
      [{ AuthMethod: 3 }, 'a sign-in by OAuth 2'],
      [{ AuthMethod: 4 }, "Zoraxy's own sign-in"],
      [{ AuthMethod: 9 }, 'a way of signing in that is not known'],
    ] as const) {
      const { site, report } = readOne({ AuthenticationProvider: authentication })
      assert.equal(site.enabled, false, reason)
      assert.equal(report.length, 1)
      assert.ok(report[0]?.includes(reason), String(report))
      assert.ok(report[0]?.endsWith('the site is switched off'))
      assert.ok(!JSON.stringify({ site, report }).includes('abab'), 'no hash is shown')
    }
    assert.equal(readOne({ RequireCaptcha: true }).site.enabled, false)
  })

  test('names of rules that are left out or switched off are closed to wildcards, and not those that were off', () => {
    const named = (name: string, more: object = {}) =>
      rule({ RootOrMatchingDomain: name, MatchingDomainAlias: [], ...more })
    const rules = [
      named('*.example.org'),
      named('a.example.org', { RequireCaptcha: true }),
      named('b.example.org', { ActiveOrigins: [] }),
      named('c.example.org', { RequireCaptcha: true, Disabled: true }),
      filter({ ID: 'default' }),
    ]
    assert.deepEqual(readZoraxy(JSON.stringify(rules)).closed, ['a.example.org', 'b.example.org'])
  })

  test('forward authentication comes along', () => {
    const { site, report } = readOne({
      AuthenticationProvider: {
        AuthMethod: 2,
        ForwardAuthURL: 'https://auth.example.org/api/authz/forward-auth?x=1',
        ForwardAuthResponseHeaders: ['Remote-User'],
        ForwardAuthRequestHeaders: ['Cookie'],
      },
    })
    assert.equal(site.forward_auth?.url, 'https://auth.example.org')
    assert.equal(site.forward_auth.uri, '/api/authz/forward-auth?x=1')
    assert.deepEqual(site.forward_auth.copy_headers, ['Remote-User'])
    assert.deepEqual(report, ['lost App.example.org: of the forward authentication: ForwardAuthRequestHeaders'])
  })

  test('an access filter becomes networks; what has no place there switches the site off', () => {
    const white = { WhitelistEnabled: true, WhiteListIP: { '203.0.113.7': 'Ada', '198.51.*.*': '', '10.1.0.0/16': '' } }
    const { site, report } = readOne({ AccessFilterUUID: 'f1' }, filter(white))
    assert.deepEqual(report, [])
    assert.deepEqual(site.access.allow, ['203.0.113.7', '198.51.0.0/16', '10.1.0.0/16'])
    const black = readOne(
      { AccessFilterUUID: 'f1' },
      filter({ BlacklistEnabled: true, BlackListIP: { '203.0.113.9': '' } }),
    )
    assert.deepEqual([black.site.access.deny, black.site.enabled], [['203.0.113.9'], true])
    const nobody = readOne({ AccessFilterUUID: 'f1' }, filter({ WhitelistEnabled: true }))
    assert.deepEqual(nobody.site.access.deny, ['0.0.0.0/0', '::/0'])
    const local = readOne(
      { AccessFilterUUID: 'f1' },
      filter({ WhitelistEnabled: true, WhitelistAllowLocalAndLoopback: true }),
    )
    assert.ok(local.site.access.allow.includes('192.168.0.0/16'))
    const countries = readOne(
      { AccessFilterUUID: 'f1' },
      filter({ WhitelistEnabled: true, WhiteListCountryCode: { de: '' } }),
    )
    assert.deepEqual(
      [countries.site.enabled, countries.report],
      [false, ['changed App.example.org: countries on the whitelist; the site is switched off']],
    )
    const missing = readOne({ AccessFilterUUID: 'f2' }, filter({}))
    assert.equal(missing.site.enabled, false)
    assert.match(missing.report.join(), /the access filter f2, whose file is not in the text/)
    const changed = readOne({}, filter({ ID: 'default', BlacklistEnabled: true, BlackListIP: { '203.0.113.9': '' } }))
    assert.deepEqual(changed.site.access.deny, ['203.0.113.9'], 'the default filter holds where no other is named')
  })

  test('without the file of its filter a rule is switched off, also of the default one', () => {
    const { sites, report } = readAlone(rule())
    assert.equal(sites[0]?.enabled, false)
    assert.deepEqual(report, [
      'changed App.example.org: the default access filter, whose file conf/access/default.json is not in the text; the site is switched off',
    ])
    assert.equal(readAlone(rule({ AccessFilterUUID: 'f1' }), filter({})).sites[0]?.enabled, true)
  })

  test('a sign-in as versions until 3.1.4 write it switches a rule off', () => {
    const users = [{ Username: 'ada', PasswordHash: 'ab'.repeat(64) }]
    const old = { AuthenticationProvider: undefined, BasicAuthCredentials: users, UseSSOIntercept: false }
    const basic = readOne({ ...old, RequireBasicAuth: true })
    assert.equal(basic.site.enabled, false)
    assert.match(basic.report.join(), /the passwords of ada, whose hashes cannot be taken over/)
    assert.equal(readOne({ ...old, UseSSOIntercept: true }).site.enabled, false)
    assert.equal(readOne({ ...old, RequireBasicAuth: false }).site.enabled, true)
  })

  test('a filter of visitors behind other proxies switches a rule off', () => {
    const behind = (more: object) => filter({ TrustProxyHeadersOnly: true, ...more })
    const lists = { WhitelistEnabled: true, WhiteListIP: { '10.0.0.0/8': '' } }
    assert.equal(readOne({ AccessFilterUUID: 'f1' }, behind(lists)).site.enabled, false)
    assert.equal(readOne({ AccessFilterUUID: 'f1' }, behind({})).site.enabled, true)
  })

  test('what a site does without is in the report', () => {
    const { report } = readOne({
      RequireRateLimit: true,
      BlockCommonExploits: true,
      ListeningPorts: [':8080'],
      ActiveOrigins: [
        { OriginIpOrDomain: '10.0.0.5:80', Weight: 1 },
        { OriginIpOrDomain: '10.0.0.6:80', Weight: 0 },
      ],
      HeaderRewriteRules: {
        RequestHostOverwrite: 'inner.example.org',
        UserDefinedHeaders: [{ Direction: 0, Key: 'X-Host', Value: '$host', IsRemove: false }],
      },
      VirtualDirectories: [{ MatchingPath: '/a', Domain: '10.0.0.7/deep', Disabled: false }],
    })
    assert.deepEqual(
      report.map((line) => line.replace('lost App.example.org: ', '')),
      [
        'origins that are there for when no other one answers',
        'the limit of requests a second: not possible with stock Caddy',
        'the rules against common attacks',
        'ports of its own: :8080',
        'the header X-Host, whose value has a variable',
        "the name inner.example.org that origins are told; a site tells them the visitor's, or their own",
        'the virtual directory /a, which leads to more than a host and a port',
      ],
    )
  })

  test('origins that Caddy cannot ask are left out', () => {
    for (const [origins, reason] of [
      [[], 'without origins in use'],
      [[{ OriginIpOrDomain: '10.0.0.5/app' }], 'more than a host and a port'],
      [
        [{ OriginIpOrDomain: 'a:1', RequireTLS: true }, { OriginIpOrDomain: 'b:1' }],
        'origins with TLS beside others without',
      ],
    ] as const) {
      const { sites, report } = read(rule({ ActiveOrigins: origins }))
      assert.deepEqual(sites, [])
      assert.ok(report[0]?.includes(reason), String(report))
    }
  })

  test('files in a row, in a list, and texts that are none', () => {
    assert.equal(read(rule(), rule({ RootOrMatchingDomain: 'b.example.org' })).sites.length, 2)
    assert.equal(readZoraxy(JSON.stringify([rule()])).sites.length, 1)
    for (const [text, reason] of [
      ['{"a": 1}', /is no rule of Zoraxy/],
      [`${JSON.stringify(rule())}\n{"a": }`, /cannot be read as JSON from line 2 on/],
      [`${JSON.stringify(rule())}\n\n{"a": 1`, /cannot be read as JSON from line 3 on/],
      ['shop.example.org {', /cannot be read as JSON from line 1 on/],
      ['}'.repeat(1000), /cannot be read as JSON from line 1 on/],
    ] as const)
      assert.throws(
        () => readZoraxy(text),
        (error) => error instanceof ZoraxyUnreadable && reason.test(error.message),
      )
  })
})
