import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipSync } from 'fflate'
import { adGuardClient, adGuardHome, groupedGravity, teleporter } from './foreign-filters.ts'
import { foreignFile, type ForeignFile } from './foreign-servers.ts'
import { startService } from './in-process.ts'

type Row = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into bodies freely

async function start() {
  // Upstreams are those of the settings here, not of the environment.
  const service = await startService({ DNS_UPSTREAMS: '' })
  const load = (files: readonly ForeignFile[], more: object = {}) =>
    service.call('POST', '/api/dns/import', { files, ...more })
  const list = async (what: string): Promise<Row[]> =>
    (await service.call('GET', `/api/dns/${what}?limit=100`)).body.data
  return { service, load, list, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

const reasonsOf = (report: Row) =>
  report['left_out'].map((each: Row) => `${each['about']}: ${each['reason']}`).join('\n')

test('an AdGuard Home comes along: lists, rules, rewrites, upstreams and zones; the rest is named', async () => {
  await using world = await start()
  const { service, load, list } = world
  const before = (await list('blocklists')).length
  const trial = await load([adGuardHome()], { dry_run: true })
  assert.equal(trial.status, 200, trial.text)
  const { lists, rules, records, zones, upstreams } = trial.body.data
  assert.deepEqual([lists.found, rules.found, records.found, zones.found], [2, 5, 4, 2])
  assert.deepEqual(upstreams, ['9.9.9.9', 'tls://1.1.1.1'])
  assert.deepEqual(await list('rules'), [])

  const made = await load([adGuardHome()])
  assert.equal(made.body.message, '2 lists, 5 rules, 4 local names, 2 zones and 0 profiles taken over', made.text)
  const added = (await list('blocklists')).filter((each) => each['url'].startsWith('https://lists.example/'))
  assert.deepEqual(
    added.map((each) => [each['name'], each['enabled']]).toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
    [
      ['Ads', true],
      ['More', false],
    ],
  )
  assert.equal((await list('blocklists')).length, before + 2)
  assert.deepEqual(
    (await list('rules')).map((each) => `${each['action']} ${each['domain']}`).toSorted((a, b) => a.localeCompare(b)),
    [
      'allow shop.example',
      'block *.tracker.example',
      'block ads.example',
      'block nowhere.example',
      'block plain.example',
    ],
  )
  assert.deepEqual(
    (await list('records'))
      .map((each) => `${each['name']} ${each['type']} ${each['value']}`)
      .toSorted((a, b) => a.localeCompare(b)),
    [
      '*.lab.home.example A 192.168.1.6',
      'nas.home.example A 192.168.1.5',
      'printer.home.example A 192.168.1.9',
      'www.home.example CNAME nas.home.example',
    ],
  )
  assert.deepEqual(
    (await list('zones')).map((each) => [each['zone'], each['servers']]),
    [
      ['corp.example', ['10.0.0.53']],
      ['lab.example', ['10.0.0.53']],
    ],
  )
  const settings = (await service.call('GET', '/api/dns/settings')).body.data
  assert.deepEqual(settings.upstreams, ['9.9.9.9', 'tls://1.1.1.1'])
  const reasons = reasonsOf(made.body.data)
  for (const part of [
    /tls:\/\/dns\.example: names its server; add it by its address, tls:\/\/ADDRESS#dns\.example/,
    /quic:\/\/dns\.example: quic is not spoken here/,
    /intern\.example.*usual servers/,
    /Own: is a list in a file/,
    /Fine: is a list of allowed names/,
    /\/banner\[0-9\]\+\/: has a pattern/,
    /x\.example\^\$client.*: has a pattern or modifiers/,
    /off\.home\.example: is a rewrite that is off/,
    /keep\.example: keeps AAAA answers/,
    /clients: one has nothing of its own but a name/,
  ])
    assert.match(reasons, part)
  assert.ok(!made.text.includes('not-for-anyone'), 'a password stands in the answer')

  const again = (await load([adGuardHome()])).body.data
  for (const part of ['lists', 'rules', 'records', 'zones'])
    assert.deepEqual([part, again[part].created, again[part].existing], [part, 0, again[part].found])
})

test('clients of an AdGuard Home become profiles of the devices with their addresses, and what holds for all one of the interfaces', async () => {
  await using world = await start()
  const { service, load, list } = world
  await service.call('POST', '/api/interfaces', { name: 'home', address: '10.8.0.1/24' })
  await service.call('POST', '/api/interfaces', { name: 'guests', address: '10.9.0.1/24' })
  const ids: Record<string, string> = {}
  for (const [name, on, ip] of [
    ['phone', 'home', '10.8.0.2'],
    ['tablet', 'home', '10.8.0.3'],
    ['console', 'home', '10.8.0.4'],
    ['laptop', 'home', '10.8.0.5'],
  ] as const)
    ids[name] = (await service.call('POST', '/api/peers', { name, interface: on, ip })).body.data.id
  await service.call('POST', '/api/dns/profiles', { name: 'Mine', peer_ids: [ids['laptop']] })
  const file = adGuardHome({
    filtering: {
      rewrites: [],
      blocked_services: { schedule: { time_zone: 'Local' }, ids: ['tiktok', 'disneyplus', 'nothing_of_ours'] },
      safe_search: { enabled: true, youtube: true, google: true },
    },
    clients: {
      persistent: [
        adGuardClient('Anna', ['10.8.0.2', '10.8.0.3/32', 'aa:bb:cc:dd:ee:ff'], {
          use_global_settings: false,
          filtering_enabled: true,
          safe_search: { enabled: true, youtube: false },
          parental_enabled: true,
        }),
        adGuardClient('Console', ['aa:bb:cc:dd:ee:01'], {
          use_global_settings: false,
          use_global_blocked_services: false,
          blocked_services: { schedule: { time_zone: 'Local', sun: { start: '10h', end: '12h' } }, ids: ['twitter'] },
          upstreams: ['9.9.9.9'],
        }),
        adGuardClient('Guests', ['10.9.0.0/24'], { use_global_settings: false, filtering_enabled: true }),
        adGuardClient('Laptop', ['10.8.0.5'], { use_global_settings: false, ignore_querylog: true }),
        adGuardClient('Fridge', ['192.168.1.8'], { use_global_settings: false }),
      ],
    },
  })
  const trial = await load([file], { parts: ['clients'], dry_run: true })
  assert.deepEqual(trial.body.data.clients, { found: 6, created: 0, existing: 0 }, trial.text)
  assert.equal((await list('profiles')).length, 1)

  const made = await load([file], { parts: ['clients'] })
  assert.deepEqual(made.body.data.clients, { found: 6, created: 6, existing: 0 }, made.text)
  const profiles = await list('profiles')
  const shown = async (name: string) => {
    const { id } = profiles.find((each) => each['name'] === name) as Row
    const found = (await service.call('GET', `/api/dns/profiles/${id}`)).body.data
    return [
      found.services.toSorted(),
      [found.safe_search, found.youtube, found.lists],
      [...found.peers.map((peer: Row) => peer['name']).toSorted(), ...found.interfaces],
    ]
  }
  const forAll = ['disney-plus', 'tiktok']
  assert.deepEqual(await shown('Anna'), [forAll, [true, null, null], ['phone', 'tablet']])
  assert.deepEqual(await shown('Console'), [['x'], [false, null, []], ['console']])
  assert.deepEqual(await shown('Guests'), [forAll, [false, null, null], ['guests']])
  assert.deepEqual(await shown('Laptop'), [forAll, [false, null, []], []])
  assert.deepEqual(await shown('AdGuard Home'), [forAll, [true, 'moderate', null], ['home']])
  assert.deepEqual(await shown('Mine'), [[], [false, null, null], ['laptop']])
  const reasons = reasonsOf(made.body.data)
  for (const part of [
    /Anna: the look-ups at AdGuard/,
    /Anna: services that are not known here: nothing_of_ours/,
    /Console: the times in which its services are allowed/,
    /Console: upstream servers of its own/,
    /Laptop: its queries are not logged/,
    /Laptop: its profile is there; its devices have another one/,
    /Fridge: its profile is there, and no device has its address or name/,
  ])
    assert.match(reasons, part)
  assert.deepEqual((await load([file], { parts: ['clients'] })).body.data.clients, {
    found: 6,
    created: 0,
    existing: 6,
  })
})

test('services and safe search of older AdGuard Homes come along: they stood under dns, and safe search was one switch', async () => {
  const heldAfter = async (changes: object) => {
    await using world = await start()
    const { service, load, list } = world
    const made = await load([adGuardHome(changes)], { parts: ['clients'] })
    assert.equal(made.status, 200, made.text)
    const held: Record<string, unknown> = {}
    for (const { id, name } of await list('profiles')) {
      const {
        services,
        safe_search: isSafe,
        youtube,
      } = (await service.call('GET', `/api/dns/profiles/${id}`)).body.data
      held[name] = [services, isSafe, youtube]
    }
    return held
  }
  const services = { schedule: { time_zone: 'Local' }, ids: ['tiktok'] }
  const newer = { blocked_services: services, safe_search: { enabled: true, youtube: false } }
  assert.deepEqual(await heldAfter({ dns: { upstream_dns: [], ...newer }, filtering: null, clients: null }), {
    'AdGuard Home': [['tiktok'], true, null],
  })
  const own = { use_global_settings: false, safesearch_enabled: true, safe_search: undefined, blocked_services: null }
  const dns = { upstream_dns: [], blocked_services: ['twitter'], safesearch_enabled: true }
  const clients = [adGuardClient('Kid', ['10.8.0.2'], own)]
  assert.deepEqual(await heldAfter({ dns, filtering: undefined, clients }), {
    'AdGuard Home': [['x'], true, 'moderate'],
    Kid: [['x'], true, 'moderate'],
  })
})

test('a client is found by single addresses in any form and by networks; an unfinished address is none', async () => {
  await using world = await start()
  const { service, load, list } = world
  const home = { name: 'home', address: '10.8.0.1/24', address6: 'fd08::1/64' }
  await service.call('POST', '/api/interfaces', home)
  for (const [name, last] of Object.entries({ phone: 2, tablet: 3, console: 130, laptop: 131, tv: 9 }))
    await service.call('POST', '/api/peers', { name, interface: 'home', ip: `10.8.0.${last}`, ipv6: `fd08::${last}` })
  const own = { use_global_settings: false, filtering_enabled: true }
  const clients = [
    adGuardClient('Unfinished', ['10.8.0.2/', '10.8.0.2/ 8'], own),
    adGuardClient('Six', ['FD08:0:0:0::0003'], own),
    adGuardClient('Half', ['10.8.0.130/31'], own),
    adGuardClient('Four', ['10.8.0.9/32'], own),
  ]
  const made = await load([adGuardHome({ clients: { persistent: clients } })], { parts: ['clients'] })
  assert.equal(made.status, 200, made.text)
  const found: Record<string, unknown> = {}
  for (const { id, name } of await list('profiles')) {
    const { peers, interfaces } = (await service.call('GET', `/api/dns/profiles/${id}`)).body.data
    found[name] = [...peers.map((peer: Row) => peer['name']).toSorted(), ...interfaces]
  }
  assert.deepEqual(found, { Unfinished: [], Six: ['tablet'], Half: ['console', 'laptop'], Four: ['tv'] })
})

test('a Pi-hole 6 comes along from the archive of its teleporter, and only the parts that were asked for', async () => {
  await using world = await start()
  const { load, list } = world
  const part = await load([teleporter()], { parts: ['rules'] })
  assert.equal(part.body.message, '0 lists, 4 rules, 0 local names, 0 zones and 0 profiles taken over', part.text)
  assert.deepEqual(
    (await list('rules'))
      .map((each) => `${each['action']} ${each['domain']} ${each['enabled']}`)
      .toSorted((a, b) => a.localeCompare(b)),
    ['allow good.example true', 'block bad.example true', 'block off.example false', 'block worse.example true'],
  )
  const made = await load([teleporter()])
  assert.equal(made.body.message, '2 lists, 0 rules, 3 local names, 2 zones and 0 profiles taken over', made.text)
  assert.deepEqual(made.body.data.upstreams, ['udp://127.0.0.1:5335', 'udp://[2620:fe::fe]'])
  assert.deepEqual(
    (await list('records'))
      .map((each) => `${each['name']} ${each['type']} ${each['value']} ${each['ttl']}`)
      .toSorted((a, b) => a.localeCompare(b)),
    [
      'nas.home.example A 192.168.1.5 300',
      'nas2.home.example A 192.168.1.5 300',
      'www.home.example CNAME nas.home.example 600',
    ],
  )
  assert.deepEqual(
    (await list('zones'))
      .map((each) => [each['zone'], each['servers']])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ['192.168.0.0/24', ['udp://192.168.0.1:53']],
      ['fritz.box', ['udp://192.168.0.1:53']],
    ],
  )
  const reasons = reasonsOf(made.body.data)
  for (const reason of [
    /lists\.example good: is a list of allowed names/,
    /\^ad\[0-9\]\+: is a pattern/,
    /resolver\.example: names its server/,
    /false,10\.0\.0\.0\/8.*: is off/,
  ])
    assert.match(reasons, reason)
})

test('groups of a Pi-hole become profiles: their lists, rules and clients, and what is for everybody stays for everybody', async () => {
  await using world = await start()
  const { service, load, list } = world
  await service.call('POST', '/api/interfaces', { name: 'home', address: '10.8.0.1/24' })
  for (const [name, ip] of [
    ['phone', '10.8.0.2'],
    ['console', '10.8.0.3'],
    ['laptop', '10.8.0.4'],
    ['tablet', '10.8.0.5'],
  ] as const)
    await service.call('POST', '/api/peers', { name, interface: 'home', ip })
  const before = new Set((await list('blocklists')).map((each) => each['id']))
  const made = await load([groupedGravity()])
  assert.equal(made.body.message, '3 lists, 2 rules, 0 local names, 0 zones and 4 profiles taken over', made.text)
  assert.deepEqual(
    (await list('rules')).map((each) => each['domain']).toSorted((a, b) => a.localeCompare(b)),
    ['both.example', 'everybody.example'],
  )
  const names = new Map((await list('blocklists')).map((each) => [each['id'], each['name']]))
  const found: Record<string, unknown> = {}
  for (const { id, name } of await list('profiles')) {
    const { lists, rules, peers, interfaces } = (await service.call('GET', `/api/dns/profiles/${id}`)).body.data
    found[name] = [
      lists?.map((each: string) => names.get(each)).toSorted() ?? 'all',
      rules.map((rule: Row) => `${rule['action']} ${rule['domain']}`),
      [...peers.map((peer: Row) => peer['name']).toSorted(), ...interfaces],
    ]
  }
  assert.deepEqual(found, {
    Kids: [['Kids only'], ['block kids.example'], ['console']],
    'Default and Kids': [['For all', 'Kids only'], ['block kids.example'], ['tablet']],
    'Default and Kids and Guests': ['all', ['block kids.example', 'allow guests.example'], ['laptop']],
    'Pi-hole': [['For all'], [], ['home']],
  })
  assert.ok([...before].every((id) => names.has(id)))
  const reasons = reasonsOf(made.body.data)
  assert.match(reasons, /Kids: is without the rules of the group Default; here rules for everyone hold for it/)
  assert.match(reasons, /nobody\.example: is a rule of groups that no client is in/)
})

test('lists of a client that are not here are named, and without any of them it gets no profile', async () => {
  await using world = await start()
  const { service, load, list } = world
  const without = await load([groupedGravity()], { parts: ['clients'] })
  assert.deepEqual(without.body.data.clients, { found: 4, created: 1, existing: 0 }, without.text)
  assert.match(reasonsOf(without.body.data), /Kids: none of its lists is here/)
  assert.match(reasonsOf(without.body.data), /Pi-hole: none of its lists is here/)
  assert.deepEqual(
    (await list('profiles')).map(({ name }) => name),
    ['Default and Kids and Guests'],
  )
  await service.call('POST', '/api/dns/blocklists', { name: 'Kids', url: 'https://kids.example' })
  const again = await load([groupedGravity()], { parts: ['clients'] })
  assert.deepEqual(again.body.data.clients, { found: 4, created: 2, existing: 1 }, again.text)
  assert.match(reasonsOf(again.body.data), /Default and Kids: one of its lists is not here/)
})

test('what does not fit here is left out with the reason, and the rest comes along', async () => {
  await using world = await start()
  const { load, list } = world
  const made = await load([
    adGuardHome({
      user_rules: ['||fine.example^', `||${'x'.repeat(64)}.example^`],
      filtering: {
        rewrites: [
          { domain: 'a.example', answer: 'b.example' },
          { domain: 'b.example', answer: 'a.example' },
          { domain: 'c.example', answer: '192.168.1.5' },
        ],
      },
      filters: [{ enabled: true, url: 'https://user:secret@lists.example/x', name: 'Private' }],
    }),
  ])
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(
    (await list('rules')).map((each) => each['domain']),
    ['fine.example'],
  )
  assert.deepEqual(
    (await list('records')).map((each) => each['name']).toSorted((a, b) => a.localeCompare(b)),
    ['a.example', 'c.example'],
  )
  assert.match(reasonsOf(made.body.data), /Private: must be an http or https address/)
  assert.ok(!made.text.includes('secret'), 'a password stands in the answer')
  assert.match(reasonsOf(made.body.data), /b\.example CNAME a\.example: a\.example leads back to b\.example/)
})

test('files that cannot be read are refused by name', async () => {
  await using world = await start()
  const { load } = world
  // Each line names the one above it four times: a million of them at the end.
  const bomb = [
    'a: &a [x, x]',
    ...Array.from('bcdefghijk', (name, index) => {
      const above = `*${'abcdefghijk'[index]}`
      return `${name}: &${name} [${above}, ${above}, ${above}, ${above}]`
    }),
  ].join('\n')
  const cases: [ForeignFile, RegExp][] = [
    [foreignFile('AdGuardHome.yaml', 'dns: [unclosed'), /^AdGuardHome\.yaml: is not valid YAML/],
    [foreignFile('AdGuardHome.yaml', 'hello: world'), /^AdGuardHome\.yaml: is no AdGuardHome\.yaml: dns/],
    [foreignFile('AdGuardHome.yaml', bomb), /^AdGuardHome\.yaml: is no/],
    [foreignFile('pihole.toml', '[dns\nupstreams'), /^pihole\.toml: is not valid TOML, line 1/],
    [foreignFile('pihole.toml', 'x = 1'), /^pihole\.toml: is no pihole\.toml: dns/],
    [foreignFile('t.zip', Buffer.from('PK\u0003\u0004 and nothing')), /^t\.zip: is a damaged archive/],
    [foreignFile('t.zip', zipSync({ 'etc/hosts': new Uint8Array(3) })), /^t\.zip: is no teleporter/],
    [
      foreignFile('t.zip', zipSync({ 'etc/pihole/pihole.toml': new Uint8Array(65 * 1_048_576) })),
      /^t\.zip: holds a file that is too large/,
    ],
    [foreignFile('x.db', 'SQLite format 3\0 and nothing'), /^x\.db: is a damaged database/],
  ]
  for (const [file, message] of cases) {
    const answer = await load([file])
    assert.equal(answer.status, 422, `${file.name}: ${answer.text}`)
    assert.match(answer.body.message, message)
  }
})
