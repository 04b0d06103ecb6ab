import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import type { Interface } from '../src/interfaces/schema.ts'
import type { Peer } from '../src/peers/schema.ts'
import { startService } from './in-process.ts'
import { joinedNode, type NodesFixture, startWithNodes } from './nodes-fixture.ts'

const resolver = '9.9.9.9'

async function createInterface(world: NodesFixture, more: object): Promise<Interface> {
  const body = { name: 'wg0', address: '10.8.0.1/24', dns: resolver, ...more }
  const reply = await world.service.call('POST', '/api/interfaces', body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.data
}

const put = (world: NodesFixture, name: string, body: object) =>
  world.service.call('PUT', `/api/interfaces/${name}`, body)

const readInterface = async (world: NodesFixture, name: string): Promise<Interface> =>
  (await world.service.call('GET', `/api/interfaces/${name}`)).body.data

async function createPeer(world: NodesFixture, name: string, more: object = {}): Promise<Peer> {
  const reply = await world.service.call('POST', '/api/peers', { name, interface: 'wg0', ...more })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.data
}

/** The devices that run on the host of the service, by name, with their numbers of peers. */
async function devicesHere(world: NodesFixture): Promise<Record<string, number>> {
  const text = await readFile(join(world.service.folder, 'simulated-devices.json'), 'utf8').catch(() => '{}')
  const devices = JSON.parse(text) as Record<string, { peers: unknown[] }>
  return Object.fromEntries(Object.entries(devices).map(([name, { peers }]) => [name, peers.length]))
}

/** The member that a refusal is about. */
const fieldOf = ({ details }: { details?: { field?: string; fields?: { path: string }[] } }): string | undefined =>
  details?.field ?? details?.fields?.[0]?.path

const endpointOf = async (world: NodesFixture, { id }: Peer): Promise<string> => {
  const { text } = await world.service.call('GET', `/api/peers/${id}/config`)
  return /^Endpoint = (.*)$/m.exec(text)?.[1] ?? text
}

test('an interface on a node runs there and not here; no other node learns of it', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  const nothing = { interfaces: [], limits: [], access: { interfaces: [], peers: [], groups: [], rules: [] } }
  assert.deepEqual(await berlin.state(), nothing)
  await createInterface(world, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_820 })
  const waiting = berlin.state()
  const made = await createInterface(world, { node_id: berlin.id, listen_port: 51_820, address6: 'fd08::1/64' })
  assert.deepEqual(made.node, { id: berlin.id, name: 'Berlin' })
  assert.deepEqual([made.status, made.listen_port], ['inactive', 51_820])
  assert.match(made.status_reason ?? '', /node Berlin does not run interfaces yet: start it there, or update Hearth/)
  const first = await waiting
  assert.deepEqual(
    first?.interfaces.map(({ config, peers, running }) => [config.name, config.addresses, peers, running]),
    [['wg0', ['10.8.0.1/24', 'fd08::1/64'], [], true]],
  )

  const peer = await createPeer(world, 'phone', { limit_down: 8, client_isolation: true })
  const second = await berlin.state()
  assert.deepEqual(
    second?.interfaces[0]?.peers.map(({ publicKey, allowedIps }) => [publicKey, allowedIps]),
    [[peer.public_key, ['10.8.0.2/32', 'fd08::2/128']]],
  )
  assert.deepEqual(second?.interfaces[0]?.rules.isolated, ['10.8.0.2', 'fd08::2'])
  assert.deepEqual(
    second?.limits.map(({ id, down, up }) => [id, down, up]),
    [[peer.id, 1_000_000, null]],
  )
  assert.deepEqual(await paris.state(), nothing)
  assert.deepEqual(await devicesHere(world), { wg1: 0 })

  await berlin.report(['wg0'])
  assert.deepEqual((await readInterface(world, 'wg0')).status, 'active')
  const figures = async () => (await world.service.send('GET', '/metrics')).text
  assert.match(await figures(), /^hearth_vpn_interface_up\{interface="wg0"\} 1$/m)
  await berlin.report([], { interfaces: [{ name: 'wg0', status: 'error', reason: 'the port 51820 is used' }] })
  const failed = await readInterface(world, 'wg0')
  assert.deepEqual([failed.status, failed.status_reason], ['error', 'node Berlin: the port 51820 is used'])
  assert.match(await figures(), /^hearth_vpn_interface_up\{interface="wg0"\} 0$/m)
  const { body: overview } = await world.service.call('GET', '/api/metrics/dashboard')
  assert.deepEqual(overview.data.interfaces, { total: 2, active: 1 })
  const notice = overview.data.health.find(({ code }: { code: string }) => code === 'interface_failed')
  assert.match(notice?.detail ?? '', /wg0: node Berlin: the port 51820 is used/)
  await put(world, 'wg0', { enabled: false })
  assert.deepEqual((await berlin.state())?.interfaces[0]?.running, false)
  assert.deepEqual((await readInterface(world, 'wg0')).status_reason, null)
})

test('what a node cannot have is refused: a taken name, network or port, an unknown node', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  const attempt = async (more: object) => {
    const body = { name: 'wg9', address: '10.20.0.1/24', dns: resolver, node_id: berlin.id, ...more }
    const { status, body: answer } = await world.service.call('POST', '/api/interfaces', body)
    return [status, fieldOf(answer)]
  }
  await createInterface(world, { node_id: berlin.id, listen_port: 51_820 })
  await createInterface(world, { name: 'home', address: '10.9.0.1/24', listen_port: 51_821 })
  assert.deepEqual(await attempt({ name: 'home' }), [409, 'name'])
  assert.deepEqual(await attempt({ address: '10.9.0.2/24' }), [409, 'address'])
  assert.deepEqual(await attempt({ listen_port: 51_820 }), [409, 'listen_port'])
  assert.deepEqual(await attempt({ node_id: '01990000-0000-7000-8000-000000000000' }), [422, 'node_id'])
  assert.deepEqual(await attempt({ listen_port: 51_821 }), [201, undefined])
  assert.equal((await readInterface(world, 'wg9')).listen_port, 51_821, 'a port of this host is free on the node')
  assert.equal(fieldOf((await put(world, 'wg9', { node_id: null })).body), 'listen_port')

  const removal = await world.service.call('DELETE', `/api/nodes/${berlin.id}`)
  assert.equal(removal.status, 409)
  assert.match(removal.text, /Berlin has the interfaces wg0, wg9: move or delete them first/)
})

test('an interface moves from here to a node, to another one and back; peers keep their keys and get the other endpoint', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  const made = await createInterface(world, { listen_port: 51_900 })
  const peer = await createPeer(world, 'phone')
  assert.equal(await endpointOf(world, peer), 'home.example.org:51900')
  assert.deepEqual(await devicesHere(world), { wg0: 1 })
  await berlin.state()
  await paris.state()

  const away = await put(world, 'wg0', { node_id: berlin.id })
  assert.equal(away.status, 200, away.text)
  assert.match(away.body.message, /moved to Berlin; 1 peer needs its configuration again/)
  assert.deepEqual(await devicesHere(world), {})
  const there = await berlin.state()
  assert.deepEqual(there?.interfaces[0]?.peers[0]?.publicKey, peer.public_key)
  assert.equal(away.body.data.public_key, made.public_key)
  assert.equal(await endpointOf(world, peer), '127.0.0.1:51900')

  const named = await world.service.call('PUT', `/api/nodes/${paris.id}`, { endpoint: 'paris.example.org' })
  assert.equal(named.status, 200, named.text)
  await put(world, 'wg0', { node_id: paris.id })
  assert.deepEqual((await berlin.state())?.interfaces, [])
  assert.equal((await paris.state())?.interfaces.length, 1)
  assert.equal(await endpointOf(world, peer), 'paris.example.org:51900')

  const home = await put(world, 'wg0', { node_id: null })
  assert.deepEqual([home.body.data.node, home.body.data.status], [null, 'active'])
  assert.deepEqual((await paris.state())?.interfaces, [])
  assert.deepEqual(await devicesHere(world), { wg0: 1 })
  assert.equal(await endpointOf(world, peer), 'home.example.org:51900')
  assert.equal((await world.service.call('DELETE', `/api/nodes/${berlin.id}`)).status, 200)
})

test('a node gets the access rules about its own peers, and no names', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, { node_id: berlin.id })
  await createInterface(world, { name: 'home', address: '10.9.0.1/24' })
  const secretName = 'Grandmother’s tablet'
  const peer = await createPeer(world, secretName, { tags: ['family'] })
  const other = await createPeer(world, 'other', { interface: 'home', tags: ['office'] })
  const group = async (name: string, tags: string[]) =>
    (await world.service.call('POST', '/api/access/groups', { name, tags })).body.data.id
  const [family, office] = [await group('Family', ['family']), await group('Office', ['office'])]
  const rule = async (from: object, to: object) => {
    const reply = await world.service.call('POST', '/api/access/rules', { from, to, action: 'deny' })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.data.id
  }
  await rule({ kind: 'group', id: office }, { kind: 'internet' })
  await rule({ kind: 'peer', id: other.id }, { kind: 'everybody' })
  const ours = await rule({ kind: 'group', id: family }, { kind: 'internet' })
  const state = await berlin.state()
  assert.deepEqual(
    state?.access.rules.map(({ id, number }) => [id, number]),
    [[ours, 3]],
  )
  assert.deepEqual(state?.access.groups, [{ id: family, peers: [peer.id], tags: [] }])
  assert.deepEqual(
    state?.access.peers.map(({ id }) => id),
    [peer.id],
  )
  const text = JSON.stringify(state)
  for (const foreign of [secretName, 'family', 'Family', other.id, office, '10.9.0']) assert.ok(!text.includes(foreign))

  const apart = await world.service.call('GET', `/api/access/explain?from=${peer.id}&to=other&protocol=icmp`)
  assert.deepEqual([apart.body.data.action, apart.body.data.because], ['deny', 'host'], apart.text)

  const waiting = berlin.state()
  await world.service.call('DELETE', `/api/access/rules/${ours}`)
  assert.deepEqual((await waiting)?.access.rules, [])
})

test('a peer that expires or is disabled leaves its node', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, { node_id: berlin.id })
  const at = Date.now() + 5000
  const guest = await createPeer(world, 'guest', { expires_at: new Date(at).toISOString() })
  const expiries = (await berlin.state(null))?.interfaces[0]?.expiries
  assert.deepEqual(expiries, [{ publicKey: guest.public_key, at }], 'for when the service is away')
  const { id, public_key: key } = await createPeer(world, 'phone')
  const [interfaceOf] = await eventually(
    async () => (await berlin.state(null))?.interfaces ?? [],
    ([one]) => one?.peers.length === 1,
    { everyMs: 500 },
  )
  assert.equal(interfaceOf?.peers[0]?.publicKey, key)
  await world.service.call('PUT', `/api/peers/${id}`, { enabled: false })
  assert.equal((await berlin.state())?.interfaces[0]?.peers.length, 0)
})

test('a node that waits hears of its removal; a second request ends the first; the end of the service ends both', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await berlin.state()
  await paris.state()
  const older = berlin.state()
  const newer = berlin.state()
  assert.equal(await older, null, 'still the same state')
  const refused = assert.rejects(newer, /is not a node of this service, or it was removed/)
  assert.equal((await world.service.call('DELETE', `/api/nodes/${berlin.id}`)).status, 200)
  await refused

  const last = paris.state().catch((error: unknown) => error)
  await paris.report([])
  const begin = performance.now()
  await world.service.stop()
  assert.ok(performance.now() - begin < 8000, 'the wait has 25 seconds')
  await last
})

test('the exported file names nodes; applied, it moves interfaces, and a node that is not there is named', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, { node_id: berlin.id })
  const { text } = await world.service.call('GET', '/api/export')
  assert.match(text, /^ {4}node: Berlin$/m)
  const apply = (changed: string) => world.service.call('POST', '/api/apply', { text: changed, prune: true })
  assert.deepEqual((await apply(text)).body.data.changes, [])
  const unknown = await apply(text.replace('node: Berlin', 'node: Rome'))
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /is no node of this service: Rome/)
  const moved = await apply(text.replace(/^ {4}node: Berlin\n/m, ''))
  assert.equal(moved.status, 200, moved.text)
  assert.deepEqual((await readInterface(world, 'wg0')).node, null)
  await berlin.state()
  assert.equal((await apply(text.replace('node: Berlin', 'node: berlin'))).status, 200)
  assert.deepEqual((await readInterface(world, 'wg0')).node, { id: berlin.id, name: 'Berlin' })
})

test('a restored backup brings nodes and their interfaces back', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, { node_id: berlin.id })
  await createPeer(world, 'phone')
  const before = await berlin.state()
  const folder = join(world.service.folder, '..', `restored-${process.pid}`)
  const file = `${folder}.backup`
  const run = (args: string[], DATA_DIR: string) => runCommand(['vpn', ...args], { DATA_DIR })
  try {
    assert.equal((await run(['backup', file], world.service.folder)).code, 0)
    await mkdir(folder, { mode: 0o700 })
    await copyFile(join(world.service.folder, 'secret.key'), join(folder, 'secret.key'))
    const restored = await run(['restore', file], folder)
    assert.equal(restored.code, 0, restored.stderr)
    await world.service.stop()
    await using again = await startService({ VPN_NODES_LISTEN: `127.0.0.1:${world.port}` }, folder)
    assert.ok(again)
    assert.deepEqual(await berlin.state(null), before)
  } finally {
    await rm(file, { force: true })
    await rm(folder, { recursive: true, force: true })
  }
})

test('a restored backup in which an interface is on a node, or is not there, has its device here taken down', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, { node_id: berlin.id, listen_port: 51_830 })
  await createInterface(world, { name: 'wg1', address: '10.9.0.1/24' })
  const file = join(world.service.folder, 'all.hearth-backup')
  const run = (...args: string[]) => runCommand(['vpn', ...args], { DATA_DIR: world.service.folder })
  assert.equal((await run('backup', file)).code, 0)
  assert.equal((await put(world, 'wg0', { node_id: null })).status, 200)
  await createInterface(world, { name: 'wg2', address: '10.10.0.1/24' })
  await world.service.stop()
  assert.deepEqual(await devicesHere(world), { wg0: 0, wg1: 0, wg2: 0 })
  const restored = await run('restore', file)
  assert.equal(restored.code, 0, restored.stderr)
  await using again = await startService({ VPN_NODES_LISTEN: `127.0.0.1:${world.port}` }, world.service.folder)
  assert.ok(again)
  assert.deepEqual(await devicesHere(world), { wg1: 0 })
  assert.equal((await berlin.state(null))?.interfaces[0]?.config.name, 'wg0')
})

test('hostile requests for a state are refused, and the next one is answered', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await assert.rejects(berlin.state(7 as never), /revision/)
  await assert.rejects(berlin.state('x'.repeat(20_000)), /more than 16384 bytes|revision/)
  await assert.rejects(
    berlin.report([], { interfaces: [{ name: 'x'.repeat(99), status: 'up', reason: null }] }),
    /name/,
  )
  assert.ok(await berlin.state())
})

test('what a file moves or deletes while the service is off is taken down here at its start', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await createInterface(world, {})
  await createInterface(world, { name: 'wg1', address: '10.9.0.1/24' })
  await createPeer(world, 'phone')
  const { text } = await world.service.call('GET', '/api/export')
  await world.service.stop()
  assert.deepEqual(await devicesHere(world), { wg0: 1, wg1: 0 })
  const file = join(world.service.folder, 'wanted.yaml')
  const wanted = text.replace(/^ {2}wg0:\n/m, '  wg0:\n    node: Berlin\n').replace(/^ {2}wg1:.*\n( {4}.*\n)*/gm, '')
  await writeFile(file, wanted)
  const applied = await runCommand(['vpn', 'apply', file, '--yes', '--prune'], { DATA_DIR: world.service.folder })
  assert.equal(applied.code, 0, `${applied.stderr}${applied.stdout}`)
  assert.deepEqual(await devicesHere(world), { wg0: 1, wg1: 0 })
  await using again = await startService({ VPN_NODES_LISTEN: `127.0.0.1:${world.port}` }, world.service.folder)
  assert.ok(again)
  assert.deepEqual(await devicesHere(world), {})
  assert.equal((await berlin.state())?.interfaces[0]?.peers.length, 1)
})

test('a node that is waited for has no address for configurations, and says so', async () => {
  await using world = await startWithNodes()
  const { node } = await world.add('Berlin')
  await createInterface(world, { node_id: node.id })
  const { status_reason: reason } = await readInterface(world, 'wg0')
  assert.equal(reason, 'node Berlin has not joined yet')
  const { id } = await createPeer(world, 'phone')
  const reply = await world.service.call('GET', `/api/peers/${id}/config`)
  assert.equal(reply.status, 409)
  assert.match(reply.text, /The node Berlin has no address yet: let it join, or set its endpoint/)
  const named = (endpoint: string) => world.service.call('PUT', `/api/nodes/${node.id}`, { endpoint })
  for (const wrong of ['', 'a b', 'https://berlin.example.org', 'x:1']) assert.equal((await named(wrong)).status, 422)
  assert.equal((await named('berlin.example.org')).status, 200)
  const { text } = await world.service.call('GET', `/api/peers/${id}/config`)
  assert.match(text, /^Endpoint = berlin\.example\.org:\d+$/m)
})

test('a network that a node reaches already is refused there, for an interface and behind a peer', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  const networks = [
    { network: '10.30.0.5/24', device: 'eth0' },
    { network: '192.168.7.0/24', device: 'eth1' },
    { network: 'fd30:0000:0000:0000:0000:0000:0000:0000/48', device: 'eth0' },
    { network: '10.31.0.1/24', device: 'wg0' },
  ]
  await berlin.report([], { networks })
  await berlin.report([])
  const attempt = async (method: string, path: string, body: object) => {
    const answer = await world.service.call(method, path, body)
    return [answer.status, fieldOf(answer.body), answer.body.details?.code, answer.body.message]
  }
  const create = (more: object) =>
    attempt('POST', '/api/interfaces', { name: 'wg0', dns: resolver, node_id: berlin.id, ...more })
  const message = (wanted: string, network: string, device: string) =>
    `The network ${wanted} overlaps with ${network}, which node Berlin reaches over ${device}: it would lose its way there. Choose another network, or set allow_host_overlap`
  assert.deepEqual(await create({ address: '10.30.0.1/16' }), [
    409,
    'address',
    'host_overlap',
    message('10.30.0.1/16', '10.30.0.5/24', 'eth0'),
  ])
  const second = await create({ address: '10.31.0.1/24', address6: 'fd30::1/64' })
  assert.deepEqual(second.slice(0, 3), [409, 'address6', 'host_overlap'])
  const made = await create({ address: '10.31.0.1/24' })
  assert.equal(made[0], 201, 'the device of the interface itself is none of them')

  const peer = { name: 'site', interface: 'wg0', networks: ['192.168.0.0/16'] }
  assert.deepEqual(await attempt('POST', '/api/peers', peer), [
    409,
    'networks',
    'host_overlap',
    'The network 192.168.0.0/16 overlaps with 192.168.7.0/24, which node Berlin reaches over eth1. Choose another network, or set allow_host_overlap',
  ])
  const forced = await world.service.call('POST', '/api/peers', { ...peer, allow_host_overlap: true })
  assert.equal(forced.status, 201, forced.text)

  await createInterface(world, { name: 'wg1', address: '10.30.0.1/24', listen_port: 51_900 })
  assert.equal((await put(world, 'wg1', { standby_node_id: berlin.id })).status, 409)
  assert.equal((await put(world, 'wg1', { node_id: berlin.id })).status, 409)
  const moved = await put(world, 'wg1', { node_id: berlin.id, allow_host_overlap: true })
  assert.equal(moved.status, 200, moved.text)
  assert.equal((await put(world, 'wg1', { mtu: 1400 })).status, 200, 'it stays where it is')

  await berlin.report(['wg0', 'wg1'], { networks: [] })
  await createInterface(world, { name: 'wg2', address: '10.32.0.1/24', node_id: berlin.id, listen_port: 51_901 })
  assert.equal((await put(world, 'wg2', { address: '192.168.7.1/24' })).body.details.field, 'address')
})

/** The names of the peers that need their configuration again. */
async function markedPeers(world: NodesFixture): Promise<string[]> {
  const found = (await world.service.call('GET', '/api/peers?needs_configuration=true&sort=name')).body.data.peers
  return found.map(({ name }: Peer) => name).toSorted()
}

test('peers are marked after a move to another endpoint until they have their configuration, or connect there', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  using berlin = await joinedNode(world, 'Berlin')
  await world.service.call('PUT', `/api/nodes/${berlin.id}`, { endpoint: 'berlin.example.org' })
  await createInterface(world, { listen_port: 51_900 })
  const phone = await createPeer(world, 'phone')
  const laptop = await createPeer(world, 'laptop')
  const marked = () => markedPeers(world)
  assert.deepEqual(await marked(), [])
  await put(world, 'wg0', { mtu: 1400 })
  assert.deepEqual(await marked(), [])
  await put(world, 'wg0', { node_id: berlin.id })
  assert.deepEqual(await marked(), ['laptop', 'phone'])
  assert.equal(await endpointOf(world, phone), 'berlin.example.org:51900')
  assert.deepEqual(await marked(), ['laptop'])
  const at = Date.now() + 1000
  const one = { interface: 'wg0', public_key: laptop.public_key, rx: 10, tx: 10, latest_handshake: at, endpoint: null }
  await eventually(
    async () => {
      const traffic = { count: '6f6de1f6-90a1-4f0d-8d9e-5a4f0f6c1a11', batches: [{ number: 1, at, peers: [one] }] }
      await berlin.report(['wg0'], { traffic, sent_at: at })
      return marked()
    },
    (names) => names.length === 0,
    { what: 'the laptop connected at the new endpoint', everyMs: 500 },
  )
  await world.service.call('PUT', `/api/nodes/${berlin.id}`, { endpoint: 'home.example.org' })
  for (const peer of [phone, laptop]) assert.equal(await endpointOf(world, peer), 'home.example.org:51900')
  await put(world, 'wg0', { node_id: null })
  assert.deepEqual(await marked(), [], 'the endpoint is the same')
})

test('peers are marked after their node has another endpoint, and not for its name', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  const change = async (id: string, body: object) => {
    const reply = await world.service.call('PUT', `/api/nodes/${id}`, body)
    assert.equal(reply.status, 200, reply.text)
    return markedPeers(world)
  }
  await createInterface(world, { node_id: berlin.id, standby_node_id: paris.id, listen_port: 51_900 })
  const phone = await createPeer(world, 'phone')
  await createInterface(world, { name: 'wg1', address: '10.9.0.1/24', node_id: paris.id, listen_port: 51_901 })
  await createPeer(world, 'laptop', { interface: 'wg1' })
  assert.deepEqual(await change(berlin.id, { endpoint: '127.0.0.1' }), [], 'the address of its reports')
  assert.deepEqual(await change(berlin.id, { endpoint: 'berlin.example.org' }), ['phone'])
  assert.equal(await endpointOf(world, phone), 'berlin.example.org:51900')
  assert.deepEqual(await change(berlin.id, { name: 'Bonn', endpoint: 'berlin.example.org' }), [])
  assert.deepEqual(await change(paris.id, { endpoint: 'paris.example.org' }), ['laptop', 'phone'], 'and as standby')
  await world.service.call('GET', `/api/peers/${phone.id}/config?standby=true`)
  const taken = await world.service.call('PUT', `/api/nodes/${berlin.id}`, { name: 'Paris', endpoint: null })
  assert.equal(taken.status, 409)
  assert.deepEqual(await markedPeers(world), ['laptop'], 'a refusal marks nobody')
  assert.deepEqual(await change(berlin.id, { endpoint: null }), ['laptop', 'phone'])

  const { node: rome } = await world.add('Rome')
  await createInterface(world, { name: 'wg2', address: '10.10.0.1/24', node_id: rome.id, listen_port: 51_902 })
  await createPeer(world, 'watch', { interface: 'wg2' })
  assert.deepEqual(await change(rome.id, { endpoint: 'rome.example.org' }), ['laptop', 'phone'], 'it had none before')
})
