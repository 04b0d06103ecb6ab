import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from './in-process.ts'

async function start() {
  const service = await startService()
  const wg0 = { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64', listen_port: 51_820 }
  for (const body of [wg0, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_821 }])
    assert.equal((await service.call('POST', '/api/interfaces', body)).status, 201)
  const add = async (name: string, more: object = {}) => {
    const reply = await service.call('POST', '/api/peers', {
      name,
      interface: 'wg0',
      routing_mode: 'split_tunnel',
      ...more,
    })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.data
  }
  const change = (id: string, body: object) => service.call('PUT', `/api/peers/${id}`, body)
  const read = async (id: string) => (await service.call('GET', `/api/peers/${id}`)).body.data
  /** Networks of the `AllowedIPs` line of a configuration. */
  const routed = async (id: string) =>
    /^AllowedIPs = (.*)$/m.exec((await service.call('GET', `/api/peers/${id}/config`)).text)?.[1]?.split(', ')
  /** Allowed addresses on the device by public key. */
  const held = async (publicKey: string) =>
    (await service.service.app.tunnels.read('wg0'))?.peers.get(publicKey)?.allowedIps
  const outdated = async () =>
    (await service.call('GET', '/api/peers?needs_configuration=true')).body.data.peers.map(
      (peer: { name: string }) => peer.name,
    )
  const tools = { service, add, change, read, routed, held, outdated }
  return { ...tools, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('networks behind a peer are on the device and in the configurations of others, as their mode says', async () => {
  await using world = await start()
  const { add, change, read, routed, held } = world
  const office = await add('office', { networks: ['10.20.0.7/16', 'FD20:0::/48', '10.20.0.0/16'] })
  assert.deepEqual(office.networks, ['10.20.0.0/16', 'fd20::/48'], 'host bits go, and what stands twice')
  const own = ['10.8.0.2/32', 'fd08::2/128']
  assert.deepEqual(await held(office.public_key), [...own, '10.20.0.0/16', 'fd20::/48'])
  const home = await add('home', { networks: '192.168.7.0/24, 192.168.9.1' })
  assert.deepEqual(home.networks, ['192.168.7.0/24', '192.168.9.1/32'])
  const vpn = ['10.8.0.0/24', 'fd08::/64']
  const [of, at] = [
    ['10.20.0.0/16', 'fd20::/48'],
    ['192.168.7.0/24', '192.168.9.1/32'],
  ]
  assert.deepEqual(await routed(office.id), [...vpn, ...at], 'its own networks are not among them')
  assert.deepEqual(await routed(home.id), [...vpn, ...of])
  const phone = await add('phone', { allowed_ips: ['172.16.0.0/12'] })
  assert.deepEqual(await routed(phone.id), [...vpn, '172.16.0.0/12', ...of, ...at])
  const elsewhere = await add('elsewhere', { interface: 'wg1' })
  assert.deepEqual(await routed(elsewhere.id), ['10.9.0.0/24'])
  for (const [mode, networks] of [
    ['full_tunnel', ['0.0.0.0/0', '::/0']],
    ['isolated', vpn],
    ['custom', ['172.16.0.0/12', '10.8.0.1/32', 'fd08::1/128']],
  ] as const) {
    await change(phone.id, { routing_mode: mode })
    assert.deepEqual(await routed(phone.id), networks, mode)
  }
  await change(office.id, { enabled: false })
  assert.equal(await held(office.public_key), undefined)
  assert.deepEqual((await read(office.id)).networks, of, 'kept for its return')
  await change(office.id, { enabled: true })
  assert.deepEqual((await held(office.public_key))?.slice(2), of)
  await change(office.id, { networks: [] })
  assert.deepEqual(await held(office.public_key), own)
  assert.deepEqual(await routed(home.id), vpn)
})

test('a network has one owner, and a refusal names the network and the other one', async () => {
  await using world = await start()
  const { service, add, change } = world
  const office = await add('office', { networks: ['10.20.0.0/16'] })
  const home = await add('home')
  for (const [networks, status, path, message] of [
    [['192.168.1.0/24', '0.0.0.0/0'], 422, 'networks.1', /networks.1 must not be a default route/],
    [['::/0'], 422, 'networks.0', /default route/],
    [['0.0.0.0/1'], 422, 'networks.0', /must not overlap with loopback/],
    [['127.0.0.1'], 422, 'networks.0', /loopback, link-local, multicast or reserved addresses: 127.0.0.1\/32/],
    [['169.254.1.0/24'], 422, 'networks.0', /link-local/],
    [['224.0.0.0/24'], 422, 'networks.0', /multicast/],
    [['fe80::/64'], 422, 'networks.0', /link-local/],
    [['ff02::/16'], 422, 'networks.0', /multicast/],
    [['::ffff:10.0.0.0/104'], 422, 'networks.0', /reserved/],
    [['8000::/1'], 422, 'networks.0', /reserved/],
    [['192.168.0.0/16', '192.168.1.0/24'], 422, 'networks.1', /overlaps with 192.168.0.0\/16, which stands before it/],
    [['10.8.0.128/25'], 409, 'networks', /10.8.0.128\/25 overlaps with the VPN network of wg0 \(10.8.0.0\/24\)/],
    [['10.0.0.0/8'], 409, 'networks', /overlaps with the VPN network of wg0/],
    [['10.9.0.7'], 409, 'networks', /the VPN network of wg1/],
    [['fd08::/32'], 409, 'networks', /the VPN network of wg0 \(fd08::\/64\)/],
    [['10.20.0.0/16'], 409, 'networks', /10.20.0.0\/16 overlaps with 10.20.0.0\/16 behind office/],
    [['10.20.1.0/24'], 409, 'networks', /10.20.1.0\/24 overlaps with 10.20.0.0\/16 behind office/],
    [['10.16.0.0/12'], 409, 'networks', /behind office/],
    [['office'], 422, 'networks.0', /must be an address or a network in CIDR form/],
    [['10.1.0.0/33'], 422, 'networks.0', /CIDR/],
    [['10.1.0.0/24\nPostUp = x'], 422, 'networks.0', /CIDR/],
    [['fe80::1%eth0'], 422, 'networks.0', /CIDR|link-local/],
    [Array.from({ length: 33 }, (_, index) => `172.20.${index}.0/24`), 422, 'networks', /networks/],
    ['10.1.0.0/16, office', 422, 'networks.1', /must be an address or a network in CIDR form/],
  ] as const) {
    const replies = [
      await change(home.id, { networks }),
      await service.call('POST', '/api/peers', { name: 'new', interface: 'wg0', networks }),
    ]
    for (const reply of replies) {
      assert.equal(reply.status, status, `${String(networks)}: ${reply.text}`)
      assert.match(reply.body.message, message)
      const { details } = reply.body
      assert.equal(status === 409 ? details.field : details.fields[0].path, path, reply.text)
    }
  }
  const six = await service.call('POST', '/api/peers', { name: 'six', interface: 'wg1', networks: ['fd30::/48'] })
  assert.match(six.body.message, /must be an IPv4 network: wg1 has no IPv6/)
  const other = await service.call('POST', '/api/peers', { name: 'o', interface: 'wg1', networks: ['10.20.3.0/24'] })
  assert.match(other.body.message, /behind office/, 'of another interface as well')
  assert.equal((await change(office.id, { networks: ['10.20.0.0/16', '10.21.0.0/16'] })).status, 200, 'its own stay')
  const network = await service.call('POST', '/api/interfaces', { name: 'wg2', address: '10.20.5.1/24' })
  assert.equal(network.status, 409, network.text)
  assert.match(network.body.message, /overlaps with 10.20.0.0\/16, which is behind the peer office/)
  await change(home.id, { networks: ['fd30::/48'], ipv6: null })
  await change(office.id, { ipv6: null })
  const without = await service.call('PUT', '/api/interfaces/wg0', { address6: null })
  assert.match(without.body.message, /IPv6 is needed for fd30::\/48, which is behind the peer home/)
})

test('of peers that claim one network at the same time one gets it', async () => {
  await using world = await start()
  const ids = await Promise.all(Array.from({ length: 12 }, async (_, index) => (await world.add(`p${index}`)).id))
  const replies = await Promise.all(ids.map((id) => world.change(id, { networks: ['10.30.0.0/16'] })))
  assert.deepEqual(Object.groupBy(replies, ({ status }) => status)[200]?.length, 1)
  assert.deepEqual(Object.groupBy(replies, ({ status }) => status)[409]?.length, 11)
})

test('an isolated peer has no networks behind it, because their hosts would not be isolated', async () => {
  await using world = await start()
  const { service, add, change } = world
  const both = { name: 'x', interface: 'wg0', client_isolation: true, networks: ['10.30.0.0/16'] }
  assert.match((await service.call('POST', '/api/peers', both)).body.message, /networks must be empty for an isolated/)
  const office = await add('office', { networks: ['10.20.0.0/16'] })
  const isolated = await change(office.id, { client_isolation: true })
  assert.equal(isolated.status, 422)
  assert.match(isolated.body.message, /client_isolation must be off for a peer with networks behind it/)
  assert.equal((await change(office.id, { client_isolation: true, networks: [] })).status, 200)
})

test('peers whose configuration has other networks than they were given are marked until they get it again', async () => {
  await using world = await start()
  const { service, add, change, read, routed, outdated } = world
  const [phone, laptop, tablet] = [await add('phone'), await add('laptop'), await add('tablet')]
  const full = await add('full', { routing_mode: 'full_tunnel' })
  for (const { id } of [phone, laptop, full]) await routed(id)
  assert.deepEqual(await outdated(), [])
  const office = await add('office', { networks: ['10.20.0.0/16'] })
  assert.deepEqual(
    await outdated(),
    ['phone', 'laptop'],
    'not the one that never had any, nor those it changes nothing for',
  )
  assert.equal((await read(phone.id)).needs_configuration, true)
  assert.equal((await read(tablet.id)).needs_configuration, false)
  await routed(phone.id)
  assert.deepEqual(await outdated(), ['laptop'])
  const told = await change(office.id, { networks: ['10.21.0.0/16'] })
  assert.equal(told.body.message, 'Peer office changed; 2 peers need their configuration again')
  await change(office.id, { networks: ['10.20.0.0/16'] })
  assert.deepEqual(await outdated(), ['laptop'], 'what comes back leaves nothing to do')
  await change(office.id, { enabled: false })
  assert.deepEqual(await outdated(), ['laptop'], 'a pause neither')
  await service.call('GET', `/api/peers/${laptop.id}/qrcode`)
  assert.deepEqual(await outdated(), [])
  await routed(office.id)
  await change(phone.id, { networks: ['10.30.0.0/16'] })
  assert.deepEqual(await outdated(), ['laptop', 'office'], 'an owner of networks gets those of others')
  const link = (await service.call('POST', `/api/peers/${office.id}/setup-links`, {})).body.data
  await change(office.id, { enabled: true })
  const redeemed = await service.send('POST', '/api/setup', { body: { link: link.url.split('#')[1] } })
  assert.match(redeemed.body.data.configuration, /10\.30\.0\.0\/16/)
  assert.deepEqual(await outdated(), ['laptop'])
  await service.call('DELETE', `/api/peers/${phone.id}`)
  assert.deepEqual(await outdated(), ['office'])
})

test('a file has a column for networks, and names the line of one that cannot be', async () => {
  await using world = await start()
  const load = (csv: string, more: object = {}) =>
    world.service.call('POST', '/api/peers/import', { csv, interface: 'wg0', ...more })
  const csv = 'name,networks\na,10.20.0.0/16; fd20::/48\nb,10.20.1.0/24\nc,0.0.0.0/0\n'
  const trial = await load(csv, { dry_run: true })
  assert.deepEqual(
    trial.body.data.peers.map((peer: { problems: { column: string; message: string }[] }) =>
      peer.problems.map(({ column, message }) => `${column}: ${message}`).join(),
    ),
    [
      '',
      'networks: The network 10.20.1.0/24 overlaps with 10.20.0.0/16 behind a',
      'networks: must not be a default route: name the networks that are behind the device',
    ],
  )
  const made = await load('name,networks\na,10.20.0.0/16; fd20::/48\nb,\n')
  assert.deepEqual((await world.read(made.body.data.peers[0].id)).networks, ['10.20.0.0/16', 'fd20::/48'])
})

test('a configuration that is too long for a QR code says so, and is there as a file', async () => {
  await using world = await start()
  const { service, add, routed } = world
  for (const site of [0, 1, 2, 3])
    await add(`site ${site}`, {
      networks: Array.from({ length: 32 }, (_, index) => `fd${50 + site}:1234:5678:${1000 + index}::/64`),
    })
  const { id } = await add('phone')
  const code = await service.call('GET', `/api/peers/${id}/qrcode`)
  assert.equal(code.status, 409, code.text)
  assert.match(code.body.message, /too long for a QR code/)
  assert.equal((await routed(id))?.length, 130)
})
