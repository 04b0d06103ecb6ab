import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  foreignFile,
  foreignPeer,
  type ForeignFile,
  newKeys,
  piVpn,
  wgDashboard,
  wgEasy14,
  wgEasy15,
} from './foreign-servers.ts'
import { startService } from './in-process.ts'

type Row = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into bodies freely

async function start() {
  const service = await startService()
  const load = (files: readonly ForeignFile[], more: object = {}) =>
    service.call('POST', '/api/server-import', { files, ...more })
  const peers = async (): Promise<Row[]> => (await service.call('GET', '/api/peers?limit=100&sort=ip')).body.data.peers
  const configuration = async (name: string): Promise<string> => {
    const peer = (await peers()).find((each) => each['name'] === name)
    return (await service.call('GET', `/api/peers/${peer?.['id']}/config`)).text
  }
  return { service, load, peers, configuration, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a wg-easy 14 comes along with its keys, after a dry run that creates nothing', async () => {
  await using world = await start()
  const { service, load, peers, configuration } = world
  const server = newKeys()
  const phone = foreignPeer('Ada’s phone', '10.8.0.2')
  const files = wgEasy14(server, [
    phone,
    { ...foreignPeer('Old laptop', '10.8.0.3'), off: true },
    { ...foreignPeer('guest', '10.8.0.7'), ends: '2099-01-31T00:00:00.000Z' },
  ])
  const trial = await load(files, { dry_run: true })
  assert.equal(trial.status, 200, trial.text)
  const [found] = trial.body.data.interfaces
  assert.deepEqual(
    [found.source, found.name, found.address, found.listen_port, found.public_key, found.is_running],
    ['wg-easy', 'wg0', '10.8.0.1/24', 51_820, server.publicKey, false],
  )
  assert.equal(trial.body.data.interfaces.length, 1, 'wg0.conf says the same as wg0.json')
  assert.match(trial.body.data.left_out[0].reason, /WG_DEFAULT_DNS/)
  assert.deepEqual([trial.body.data.created, trial.body.data.problems, await peers()], [0, 0, []])
  assert.deepEqual((await service.call('GET', '/api/interfaces')).body.data, [])

  const made = await load(files)
  assert.equal(made.body.message, '1 interfaces with 3 peers taken over', made.text)
  const [on] = (await service.call('GET', '/api/interfaces')).body.data
  assert.deepEqual([on.public_key, on.status, on.peer_count], [server.publicKey, 'active', 3])
  assert.deepEqual(
    (await peers()).map((peer) => [peer['name'], peer['ip'], peer['enabled'], peer['expires_at'], peer['public_key']]),
    [
      ['Ada’s phone', '10.8.0.2', true, null, phone.publicKey],
      ['Old laptop', '10.8.0.3', false, null, (await peers())[1]?.['public_key']],
      ['guest', '10.8.0.7', true, '2099-01-31T00:00:00.000Z', (await peers())[2]?.['public_key']],
    ],
  )
  const text = await configuration('Ada’s phone')
  for (const line of [
    `PrivateKey = ${phone.privateKey}`,
    'Address = 10.8.0.2/32',
    `PublicKey = ${server.publicKey}`,
    `PresharedKey = ${phone.presharedKey}`,
  ])
    assert.ok(text.includes(line), `no ${line.slice(0, 10)}`)
  const device = await service.service.app.tunnels.read('wg0')
  assert.deepEqual([device?.publicKey, device?.peers.size], [server.publicKey, 2])
  assert.equal(device?.peers.get(phone.publicKey)?.presharedKey, phone.presharedKey)
})

test('a wg-easy 15 comes along with routes, resolvers and end dates', async () => {
  await using world = await start()
  const { service, load, peers, configuration } = world
  const address = (last: number) => `fdcc:ad94:bacf:61a4::cafe:${last}`
  const files = [
    wgEasy15(newKeys(), [
      foreignPeer('phone', '10.8.0.2', address(2)),
      { ...foreignPeer('office', '10.8.0.3', address(3)), routed: ['10.8.0.0/24', '192.168.7.0/24'], keepalive: 25 },
      { ...foreignPeer('guest', '10.8.0.4', address(4)), ends: '2099-01-31T12:00:00.000Z', off: true },
    ]),
  ]
  const made = await load(files)
  assert.equal(made.status, 200, made.text)
  const reasons = made.body.data.left_out.map((each: Row) => each['reason']).join('\n')
  for (const part of [/hooks/, /users, passwords/, /vpn\.example\.com/, /1\.1\.1\.1/]) assert.match(reasons, part)
  const [on] = (await service.call('GET', '/api/interfaces')).body.data
  assert.deepEqual(
    [on.address, on.address6, on.mtu, on.dns],
    ['10.8.0.1/24', 'fdcc:ad94:bacf:61a4::cafe:1/112', 1420, '1.1.1.1, 2606:4700:4700::1111'],
  )
  assert.deepEqual(
    (await peers()).map((peer) => [
      peer['ipv6'],
      peer['routing_mode'],
      peer['allowed_ips'],
      peer['persistent_keepalive'],
    ]),
    [
      [address(2), 'full_tunnel', [], 0],
      [address(3), 'custom', ['10.8.0.0/24', '192.168.7.0/24'], 25],
      [address(4), 'full_tunnel', [], 0],
    ],
  )
  assert.match(await configuration('phone'), /AllowedIPs = 0\.0\.0\.0\/0, ::\/0/)
})

test('a WGDashboard comes along with names and keys, and needs the file of the interface', async () => {
  await using world = await start()
  const { load, peers, configuration } = world
  const files = wgDashboard(newKeys(), {
    on: [foreignPeer('Kitchen', '10.9.0.2'), foreignPeer('', '10.9.0.3')],
    off: [foreignPeer('Suspended', '10.9.0.4')],
  })
  const alone = await load(files.slice(0, 1))
  assert.equal(alone.status, 422)
  assert.match(alone.body.message, /wgdashboard\.db: needs wg1\.conf beside it/)
  const made = await load(files)
  assert.equal(made.status, 200, made.text)
  assert.equal(made.body.data.interfaces[0].source, 'wgdashboard')
  assert.deepEqual(
    (await peers()).map((peer) => [
      peer['name'],
      peer['enabled'],
      peer['persistent_keepalive'],
      peer['has_private_key'],
    ]),
    [
      ['Kitchen', true, 21, true],
      ['wg1 10.9.0.3', true, 21, true],
      ['Suspended', false, 21, true],
    ],
  )
  assert.match(await configuration('Kitchen'), /Endpoint = .+:51821\n/)
})

test('a PiVPN comes along with the names and switches in its file and the keys of its devices', async () => {
  await using world = await start()
  const { service, load, peers } = world
  const v6 = (last: number) => `fd11:5ee:bad:c0de::${last}`
  const files = piVpn(
    newKeys(),
    [foreignPeer('tablet', '10.6.0.2', v6(2)), { ...foreignPeer('tv', '10.6.0.3', v6(3)), off: true }],
    { routed: '10.6.0.0/24, fd11:5ee:bad:c0de::/64' },
  )
  const made = await load(files)
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(
    (await peers()).map((peer) => [
      peer['name'],
      peer['ipv6'],
      peer['enabled'],
      peer['has_private_key'],
      peer['routing_mode'],
    ]),
    [
      ['tablet', v6(2), true, true, 'isolated'],
      ['tv', v6(3), false, true, 'isolated'],
    ],
  )
  // Its devices ask the server itself, which is the resolver of this service from now on.
  assert.equal((await service.call('GET', '/api/interfaces')).body.data[0].dns, '')
})

/** The file of a server with these lines for its peers. */
const plain = (name: string, lines: readonly string[], head: readonly string[] = []): ForeignFile =>
  foreignFile(name, ['[Interface]', `PrivateKey = ${newKeys().privateKey}`, ...head, '', ...lines].join('\n'))

test('plain files of several servers are taken as one, under other names where wanted', async () => {
  await using world = await start()
  const { service, load, peers } = world
  const [a, b, c] = [newKeys(), newKeys(), newKeys()]
  const files = [
    plain(
      'wg0.conf',
      ['# BEGIN_PEER Ada', '[Peer]', `PublicKey = ${a.publicKey}`, 'AllowedIPs = 10.7.0.2/32', '# END_PEER Ada'],
      ['Address = 10.7.0.1/24', 'ListenPort = 51900', 'DNS = 9.9.9.9', 'Table = off'],
    ),
    plain(
      'home.conf',
      [
        '[Peer]',
        '# friendly_name = Ada',
        `publickey=${b.publicKey}`,
        'allowedips=10.17.0.2/32, 192.168.205.0/24, 0.0.0.0/0 # the holiday home',
        'PersistentKeepalive = off',
        '',
        '# Printer',
        '[Peer]',
        `PublicKey = ${c.publicKey}`,
        'AllowedIPs = 10.17.0.3',
      ],
      ['Address = 10.17.0.1/24', 'Address = 10.18.0.1/24', 'ListenPort = 51901', 'PostUp = rm -rf / # no'],
    ),
  ]
  const made = await load(files, { names: { wg0: 'wg7' } })
  assert.equal(made.status, 200, made.text)
  assert.deepEqual((await service.call('GET', '/api/interfaces')).body.data.map((on: Row) => on['name']).toSorted(), [
    'home',
    'wg7',
  ])
  assert.deepEqual(
    (await peers()).map((peer) => [peer['name'], peer['interface'], peer['ip'], peer['has_private_key']]),
    [
      ['Ada', 'wg7', '10.7.0.2', false],
      ['Ada 2', 'home', '10.17.0.2', false],
      ['Printer', 'home', '10.17.0.3', false],
    ],
  )
  assert.deepEqual((await peers()).find((peer) => peer['name'] === 'Ada 2')?.['networks'], ['192.168.205.0/24'])
  const reasons = made.body.data.left_out.map((each: Row) => `${each['about']}: ${each['reason']}`).join('\n')
  for (const part of [
    /1 commands \(PostUp/,
    /table: is not known here/,
    /10\.18\.0\.1\/24/,
    /Ada 2: 0\.0\.0\.0\/0: .*through no peer/,
  ])
    assert.match(reasons, part)
})

test('what stands in the way is named, and nothing is created', async () => {
  await using world = await start()
  const { service, load, peers } = world
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const twin = newKeys()
  const files = [
    plain(
      'wg0.conf',
      ['[Peer]', `PublicKey = ${twin.publicKey}`, 'AllowedIPs = 10.99.0.2/32'],
      ['Address = 10.8.0.1/24'],
    ),
    plain(
      'wg2.conf',
      [
        '[Peer]',
        `PublicKey = ${twin.publicKey}`,
        'AllowedIPs = 10.44.0.2/32',
        '[Peer]',
        `PublicKey = ${twin.publicKey}`,
        'AllowedIPs = 10.44.0.3/32',
        '[Peer]',
        `PublicKey = ${newKeys().publicKey}`,
        'AllowedIPs = fd00::2/128',
      ],
      ['Address = 10.44.0.1/24'],
    ),
    plain('wg3.conf', [], ['Address = fd99::1/64']),
  ]
  const trial = (await load(files, { dry_run: true })).body.data
  assert.deepEqual(
    trial.interfaces.map((on: Row) => [
      on['name'],
      on['problems'],
      on['peers'].flatMap((peer: Row) => peer['problems']),
    ]),
    [
      [
        'wg0',
        [{ field: 'name', message: 'The interface wg0 exists' }],
        [{ field: 'ip', message: 'has no IPv4 address of its own in 10.8.0.1/24' }],
      ],
      [
        'wg2',
        [],
        [
          { field: 'public_key', message: 'The public key belongs to wg2 10.44.0.2' },
          { field: 'ip', message: 'has no IPv4 address of its own in 10.44.0.1/24' },
        ],
      ],
      ['wg3', [{ field: 'address', message: 'needs an IPv4 address in the tunnel' }], []],
    ],
  )
  const refused = await load(files)
  assert.equal(refused.status, 409)
  assert.match(
    refused.body.message,
    /^wg0\.name: The interface wg0 exists \(and 4 more problems\); nothing was created$/,
  )
  assert.deepEqual(await peers(), [])
  assert.equal((await service.call('GET', '/api/interfaces')).body.data.length, 1)
})

test('files that cannot be read are refused by name, without a word of the keys in them', async () => {
  await using world = await start()
  const { load } = world
  const secret = newKeys().privateKey
  const broken = secret.slice(0, 40)
  const easy = wgEasy15(newKeys(), [foreignPeer('phone', '10.8.0.2', 'fdcc:ad94:bacf:61a4::cafe:2')])
  const damaged = Buffer.from(easy.content, 'base64')
  damaged.fill(0x5a, 4096, 12_288)
  const cases: [ForeignFile, RegExp][] = [
    [foreignFile('a.conf', 'hello'), /^a\.conf: line 1: is neither a section/],
    [foreignFile('a.conf', '[Interface]\nAddress = 10.0.0.1/24\n[Fish]'), /^a\.conf: line 3: has a section other/],
    [foreignFile('a.conf', `[Interface]\nPrivateKey = ${broken}`), /^a\.conf: line 2: PrivateKey is not 32 bytes/],
    [foreignFile('a.conf', `[Interface]\nPrivateKey = ${secret}\nJc = 4`), /^a\.conf: line 3: belongs to AmneziaWG/],
    [
      foreignFile('a.conf', `[Interface]\nPrivateKey = ${secret}\nListenPort = 99999`),
      /^a\.conf: line 3: is not a number/,
    ],
    [foreignFile('a.conf', '[Peer]\nPublicKey = x'), /^a\.conf: has no section \[Interface\]/],
    [foreignFile('wg0.json', `{"server":{"privateKey":"${broken}"`), /^wg0\.json: is not valid JSON/],
    [
      foreignFile('wg0.json', `{"server":{"privateKey":"${broken}","address":"10.8.0.1"},"clients":{}}`),
      /^wg0\.json: is no wg0\.json of wg-easy: server\.privateKey/,
    ],
    [foreignFile('x.db', damaged), /^x\.db: /],
    [foreignFile('x.db', 'SQLite format 3\0 and nothing'), /^x\.db: is a damaged database/],
    [foreignFile('empty.conf', ''), /^empty\.conf: has no section/],
  ]
  for (const [file, message] of cases) {
    const answer = await load([file])
    assert.equal(answer.status, 422, `${file.name}: ${answer.text}`)
    assert.match(answer.body.message, message)
    assert.ok(!answer.text.includes(broken), 'a key stands in the answer')
  }
  assert.equal((await load([{ name: 'a.conf', content: 'no base64!' }])).status, 422)
  const device = piVpn(newKeys(), [foreignPeer('tablet', '10.6.0.2', 'fd11:5ee:bad:c0de::2')]).slice(1)
  assert.match((await load(device)).body.message, /hold no WireGuard server/)
})

test('names of hostile files are harmless, and views of a database never run', async () => {
  await using world = await start()
  const { load, peers } = world
  const name = `\u202Eevil\n${'x'.repeat(100)}`
  assert.equal((await load(wgEasy14(newKeys(), [foreignPeer(name, '10.8.0.2')]).slice(0, 1))).status, 200)
  assert.equal((await peers())[0]?.['name'], `evil${'x'.repeat(60)}`)
  const { DatabaseSync } = await import('node:sqlite')
  using database = new DatabaseSync(':memory:')
  database.exec(`create view interfaces_table as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n;
    create view clients_table as select 1`)
  const refused = await load([foreignFile('evil.db', database.serialize())])
  assert.match(refused.body.message, /is a database of neither wg-easy 15 nor WGDashboard/)
})
