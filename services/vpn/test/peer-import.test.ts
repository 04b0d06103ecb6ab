import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from './in-process.ts'

async function start() {
  const service = await startService()
  for (const [index, name] of ['wg0', 'wg1'].entries())
    await service.call('POST', '/api/interfaces', {
      name,
      address: `10.${8 + index}.0.1/16`,
      listen_port: 51_820 + index,
    })
  const load = (csv: unknown, more: object = {}) => service.call('POST', '/api/peers/import', { csv, ...more })
  const names = async () =>
    (await service.call('GET', '/api/peers?limit=100')).body.data.peers.map((peer: { name: string }) => peer.name)
  return { service, load, names, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a file makes peers with what its columns say, after a dry run that shows them', async () => {
  await using world = await start()
  const { service, load, names } = world
  const csv = [
    '\uFEFFName,Interface,Tags,Expires,IP,Routing_mode,Allowed_IPs,Persistent_keepalive,Client_isolation',
    'Ada’s phone,,kids;phones,2099-05-01,,,,,',
    '"Doe, John",wg1,,2099-05-01T12:00:00+02:00,10.9.0.77,split_tunnel,192.168.1.0/24; 10.1.0.0/16,0,yes',
    '',
    "'=1+2,,,,,,,,no",
  ].join('\r\n')
  const trial = await load(csv, { interface: 'wg0', dry_run: true })
  assert.equal(trial.status, 200, trial.text)
  assert.deepEqual([trial.body.data.created, trial.body.data.faulty], [0, 0], trial.text)
  assert.deepEqual(
    trial.body.data.peers.map((peer: Record<string, unknown>) => [
      peer['line'],
      peer['name'],
      peer['interface'],
      peer['ip'],
      peer['id'],
    ]),
    [
      [2, 'Ada’s phone', 'wg0', '10.8.0.2', null],
      [3, 'Doe, John', 'wg1', '10.9.0.77', null],
      [5, '=1+2', 'wg0', '10.8.0.3', null],
    ],
  )
  assert.deepEqual(await names(), [])
  const made = await load(csv, { interface: 'wg0' })
  assert.equal(made.body.message, '3 peers created', made.text)
  // Peers that are made in the same millisecond are listed in any order.
  const { peers } = (await service.call('GET', '/api/peers?sort=name')).body.data
  assert.deepEqual(
    peers.map((peer: Record<string, unknown>) => [peer['name'], peer['ip'], peer['tags'], peer['expires_at']]),
    [
      ['=1+2', '10.8.0.3', [], null],
      ['Ada’s phone', '10.8.0.2', ['kids', 'phones'], '2099-05-01T00:00:00.000Z'],
      ['Doe, John', '10.9.0.77', [], '2099-05-01T10:00:00.000Z'],
    ],
  )
  assert.deepEqual(peers[2].allowed_ips, ['192.168.1.0/24', '10.1.0.0/16'])
  assert.deepEqual([peers[2].persistent_keepalive, peers[2].client_isolation], [0, true])
  assert.equal((await service.service.app.tunnels.read('wg0'))?.peers.size, 2)
  assert.equal((await service.call('POST', '/api/peers', { name: 'next', interface: 'wg0' })).body.data.ip, '10.8.0.4')
})

test('each line with a problem is named with its column, and one such line keeps all others out', async () => {
  await using world = await start()
  const { service, load, names } = world
  await service.call('POST', '/api/peers', { name: 'taken', interface: 'wg0', ip: '10.8.0.9' })
  const csv = [
    'name;interface;ip;tags;expires;routing_mode;persistent_keepalive;enabled;public_key',
    'good;wg0;;;;;;;',
    ';wg0;;;;;;;',
    'GOOD;wg0;;;;;;;',
    'taken;wg0;;;;;;;',
    'a;wg9;;;;;;;',
    'b;wg0;10.8.0.9;;;;;;',
    'c;wg0;10.9.0.1;;;;;;',
    'd;wg0;;x,X;;;;;',
    'e;wg0;;;31.12.2099;;;;',
    'f;wg0;;;;everything;many;perhaps;AAAA',
    'g;;;;;;;;',
    'line\u202e;wg0;;;;;;;',
  ].join('\n')
  const { data } = (await load(csv, { dry_run: true })).body
  assert.deepEqual(
    data.peers.map((peer: { line: number; problems: { column: string }[] }) => [
      peer.line,
      peer.problems.map(({ column }) => column).join(),
    ]),
    [
      [2, ''],
      [3, 'name'],
      [4, 'name'],
      [5, 'name'],
      [6, 'interface'],
      [7, 'ip'],
      [8, 'ip'],
      [9, 'tags'],
      [10, 'expires'],
      [11, 'routing_mode,persistent_keepalive,enabled,public_key'],
      [12, 'interface'],
      [13, 'name'],
    ],
  )
  assert.equal(data.faulty, 11)
  assert.match(data.peers[2].problems[0].message, /The name GOOD is taken/, 'by another line')
  const refused = await load(csv)
  assert.equal(refused.status, 422)
  assert.equal(refused.body.details.fields[0].path, 'line 3.name')
  assert.match(refused.body.message, /^line 3, name is needed \(and 10 more lines\); nothing was created$/)
  assert.deepEqual(await names(), ['taken'])
  assert.equal((await service.service.app.tunnels.read('wg0'))?.peers.size, 1)
})

test('files that cannot be read as a whole are refused, naming why', async () => {
  await using world = await start()
  const { load, names } = world
  const lines = (count: number) => `name\n${Array.from({ length: count }, (_, index) => `peer ${index}`).join('\n')}`
  for (const [csv, message] of [
    ['', /csv is empty/],
    ['name\n', /has no peers below its first line/],
    ['interface\nwg0', /has no column name/],
    ['name,PrivateKey\na,b', /unknown column “privatekey”; columns are name, interface/],
    ['name,name\na,b', /has the column name twice/],
    ['name\na,b', /more values than columns in line 2/],
    ['name,tags\n"a,b', /a quote is missing or in the wrong place near line 2/],
    [lines(1001), /has 1001 peers; at most 1000 at once/],
    ['name,__proto__\na,b', /unknown column “__proto__”/],
    [`name\n${'x'.repeat(1_048_576)}`, /at most 1 MiB/],
  ] as const) {
    const reply = await load(csv, { interface: 'wg0' })
    assert.equal(reply.status, 422, csv.slice(0, 40))
    assert.match(reply.body.message, message)
    assert.equal(reply.body.details.fields[0].path, 'csv')
  }
  for (const csv of [7, null, ['name']]) assert.equal((await load(csv)).status, 422)
  assert.equal((await load('x'.repeat(2_200_000))).status, 413)
  assert.deepEqual(await names(), [])
})

test('a thousand peers come at once with a set-up link each, which works', async () => {
  await using world = await start()
  const { service, load } = world
  const key = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='
  const csv = `name,public_key\nown key,${key}\n${Array.from({ length: 999 }, (_, index) => `peer ${index},`).join('\n')}`
  const reply = await load(csv, { interface: 'wg1', setup_links_hours: 48 })
  assert.equal(reply.body.data.created, 1000, reply.text.slice(0, 300))
  const { peers } = reply.body.data
  assert.equal(peers[0].setup_url, null, 'its private key is on the device')
  assert.equal(new Set(peers.map((peer: { ip: string }) => peer.ip)).size, 1000)
  assert.equal(new Set(peers.map((peer: { setup_url: string }) => peer.setup_url)).size, 1000)
  const link = peers[999].setup_url.split('#')[1]
  const redeemed = await service.send('POST', '/api/setup', { body: { link } })
  assert.equal(redeemed.body.data.name, 'peer 998', redeemed.text)
  const [listed] = (await service.call('GET', `/api/peers/${peers[5].id}/setup-links`)).body.data
  assert.equal((Date.parse(listed.expires_at) - Date.parse(listed.created_at)) / 3_600_000, 48)
  assert.equal((await service.service.app.tunnels.read('wg1'))?.peers.size, 1000)
})
