import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Interface } from '../src/interfaces/schema.ts'
import { done, joinedNode, type NodesFixture, startWithNodes } from './nodes-fixture.ts'

const resolver = '9.9.9.9'

const create = (world: NodesFixture, more: object): Promise<Interface> =>
  done(world, 'POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', dns: resolver, ...more })

const put = (world: NodesFixture, body: object) => world.service.call('PUT', '/api/interfaces/wg0', body)

/** The status, the member that a refusal is about, and its message. */
async function refusal(answer: Promise<{ status: number; body: { message: string; details?: object } }>) {
  const { status, body } = await answer
  const details: { field?: string; fields?: { path: string }[] } = body.details ?? {}
  return [status, details.field ?? details.fields?.[0]?.path, body.message]
}

test('a standby runs the same interface, with the same keys, peers, limits and rules', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await paris.state()
  const waiting = paris.state()
  const made = await create(world, { node_id: berlin.id, standby_node_id: paris.id, dns: '' })
  assert.deepEqual(made.standby, {
    id: paris.id,
    name: 'Paris',
    status: 'inactive',
    status_reason: 'node Paris does not run interfaces yet: start it there, or update Hearth',
  })
  assert.ok(await waiting)
  await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0', limit_down: 8 })
  await eventually(
    async () => [await berlin.state(null), await paris.state(null)],
    ([first]) => first?.interfaces[0]?.peers.length === 1,
    { what: 'the peer', everyMs: 200 },
  )
  const [first, second] = [await berlin.state(null), await paris.state(null)]
  assert.deepEqual(second, first)
  assert.deepEqual(await paris.dns(null), await berlin.dns(null))

  await berlin.report(['wg0'])
  await paris.report([], { interfaces: [{ name: 'wg0', status: 'error', reason: 'the port 51820 is used' }] })
  const shown: Interface = await done(world, 'GET', '/api/interfaces/wg0')
  assert.deepEqual([shown.status, shown.standby?.status], ['active', 'error'])
  assert.equal(shown.standby?.status_reason, 'node Paris: the port 51820 is used')
  const nodes = await world.list()
  assert.deepEqual(
    nodes.map(({ name, interfaces, standby_interfaces: standbys }) => [name, interfaces, standbys]),
    [
      ['Berlin', ['wg0'], []],
      ['Paris', [], ['wg0']],
    ],
  )

  await done(world, 'PUT', '/api/interfaces/wg0', { standby_node_id: null })
  assert.deepEqual((await paris.state())?.interfaces, [])
  assert.equal((await done(world, 'GET', '/api/interfaces/wg0')).standby, null)
})

test('a node can be the standby of an interface of this host, and follows its peers', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  using berlin = await joinedNode(world, 'Berlin')
  await create(world, { standby_node_id: berlin.id, listen_port: 51_900 })
  await berlin.state()
  const peer = await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const keys = async () => (await berlin.state(null))?.interfaces[0]?.peers.map(({ publicKey }) => publicKey)
  assert.deepEqual(await keys(), [peer.public_key])
  const waiting = berlin.state()
  await done(world, 'PUT', `/api/peers/${peer.id}`, { enabled: false })
  assert.deepEqual((await waiting)?.interfaces[0]?.peers, [], 'it is woken')
  const devices = await readFile(join(world.service.folder, 'simulated-devices.json'), 'utf8')
  assert.deepEqual(Object.keys(JSON.parse(devices)), ['wg0'], 'the interface runs here as before')
})

test('a device gets a second configuration, and each says where the other one leads', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  using berlin = await joinedNode(world, 'Berlin')
  await done(world, 'PUT', `/api/nodes/${berlin.id}`, { endpoint: 'berlin.example.org' })
  await create(world, { listen_port: 51_900 })
  const { id } = await done(world, 'POST', '/api/peers', { name: 'A laptop of someone', interface: 'wg0' })
  const read = (query: string) => world.service.call('GET', `/api/peers/${id}/config${query}`)
  assert.deepEqual(await refusal(world.service.call('GET', `/api/peers/${id}/config?standby=true`)), [
    409,
    'standby',
    'The interface wg0 has no standby',
  ])
  const alone = (await read('')).text
  assert.doesNotMatch(alone, /standby/i)

  await put(world, { standby_node_id: berlin.id })
  const [main, second] = [await read(''), await read('?standby=true')]
  assert.match(main.headers['content-disposition'] ?? '', /"A-laptop-of-som\.conf"/)
  assert.match(second.headers['content-disposition'] ?? '', /"A-laptop-of-s-2\.conf"/)
  const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'))
  const different = lines(main.text).filter((line, index) => line !== lines(second.text)[index])
  assert.deepEqual(different, ['Endpoint = home.example.org:51900'])
  assert.match(second.text, /^Endpoint = berlin\.example\.org:51900$/m)
  assert.match(main.text, /^# While this one does not connect, use that for the standby: berlin\.example\.org:51900$/m)
  assert.match(second.text, /^# This is for the standby of: home\.example\.org:51900$/m)
  const pictures = await Promise.all(
    ['', '?standby=true'].map((query) => world.service.call('GET', `/api/peers/${id}/qrcode${query}`)),
  )
  assert.deepEqual(
    pictures.map(({ status }) => status),
    [200, 200],
  )
  assert.notEqual(pictures[0]?.text, pictures[1]?.text)
})

test('what cannot be a standby is refused with the reason, and a node stays while it is one', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await create(world, { node_id: berlin.id, listen_port: 51_820 })
  const same = 'standby_node_id is the node that runs the interface: name another one, or null for none'
  assert.deepEqual(await refusal(put(world, { standby_node_id: berlin.id })), [422, 'standby_node_id', same])
  assert.deepEqual(await refusal(put(world, { standby_node_id: randomUUID() })), [
    422,
    'standby_node_id',
    'standby_node_id is not a node of this service',
  ])
  await create(world, { name: 'wg1', address: '10.9.0.1/24', node_id: paris.id, listen_port: 51_820 })
  const taken = [409, 'listen_port', 'The port 51820 belongs to wg1']
  assert.deepEqual(await refusal(put(world, { standby_node_id: paris.id })), taken)
  await done(world, 'PUT', '/api/interfaces/wg0', { listen_port: 51_900, standby_node_id: paris.id })
  assert.deepEqual(await refusal(put(world, { listen_port: 51_820 })), taken)
  const other = { name: 'wg2', address: '10.10.0.1/24', dns: resolver, node_id: paris.id, listen_port: 51_900 }
  assert.deepEqual(await refusal(world.service.call('POST', '/api/interfaces', other)), [
    409,
    'listen_port',
    'The port 51900 belongs to wg0',
  ])
  const free = await done(world, 'POST', '/api/interfaces', { ...other, listen_port: undefined })
  assert.equal(free.listen_port, 51_821)

  assert.deepEqual(await refusal(put(world, { node_id: paris.id })), [422, 'standby_node_id', same])
  await done(world, 'DELETE', '/api/interfaces/wg1')
  await done(world, 'DELETE', '/api/interfaces/wg2')
  const removal = await world.service.call('DELETE', `/api/nodes/${paris.id}`)
  assert.equal(removal.status, 409)
  assert.match(removal.text, /Paris is the standby of wg0: choose another one there, or none/)
  await done(world, 'PUT', '/api/interfaces/wg0', { node_id: paris.id, standby_node_id: berlin.id })
  const moved: Interface = await done(world, 'GET', '/api/interfaces/wg0')
  assert.deepEqual([moved.node?.name, moved.standby?.name], ['Paris', 'Berlin'])
  await done(world, 'PUT', '/api/interfaces/wg0', { standby_node_id: null })
  await done(world, 'DELETE', `/api/nodes/${berlin.id}`)
})

test('traffic and handshakes through either host count once', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await create(world, { node_id: berlin.id, standby_node_id: paris.id })
  const peer = await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const batch = (rx: number, tx: number, secondsAgo: number, endpoint: string) => {
    const at = Date.now() - secondsAgo * 1000
    const one = { interface: 'wg0', public_key: peer.public_key, rx, tx, latest_handshake: at, endpoint }
    return { traffic: { count: randomUUID(), batches: [{ number: 1, at, peers: [one] }] } }
  }
  await berlin.report(['wg0'], batch(1000, 2000, 60, '192.0.2.7:4711'))
  const second = batch(10, 20, 5, '192.0.2.8:4712')
  await paris.report(['wg0'], second)
  await paris.report(['wg0'], second)
  await berlin.report(['wg0'], batch(1, 2, 90, '192.0.2.7:4711'))
  const shown = await done(world, 'GET', `/api/peers/${peer.id}`)
  assert.deepEqual([shown.transfer_rx, shown.transfer_tx, shown.connected], [1011, 2022, true])
  assert.ok(Date.now() - Date.parse(shown.last_handshake) < 30_000, 'the later handshake holds')
})

test('a file names the standby, and a plan changes it', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await create(world, { listen_port: 51_900 })
  const exported = async () => (await world.service.call('GET', '/api/export')).text
  const text = await exported()
  assert.doesNotMatch(text, /standby/)
  await put(world, { standby_node_id: berlin.id })
  assert.match(await exported(), /^ +standby: Berlin$/m)

  const apply = (changed: string) => world.service.call('POST', '/api/apply', { text: changed })
  const isChanged = async (changed: string) => (await done(world, 'POST', '/api/apply', { text: changed })).changed
  const standby = async () => (await done(world, 'GET', '/api/interfaces/wg0')).standby?.name
  const named = await exported()
  assert.equal(await isChanged(named.replace(/^ +standby: Berlin\n/m, '')), 1)
  assert.deepEqual([await standby(), (await berlin.state())?.interfaces], [undefined, []])
  assert.equal(await isChanged(named), 1)
  assert.deepEqual([await standby(), await isChanged(named)], ['Berlin', 0])
  const unknown = await apply(named.replace('standby: Berlin', 'standby: Rome'))
  assert.equal(unknown.status, 422, unknown.text)
  assert.match(unknown.body.details.fields[0].path, /interfaces\.wg0\.standby/)
  assert.match(unknown.body.details.fields[0].message, /is no node of this service: Rome/)
  assert.equal(await standby(), 'Berlin')
})

test('a set-up link hands out both configurations, and the one for the standby alone when that is known', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  const { node } = await world.add('Berlin')
  await create(world, { listen_port: 51_900, standby_node_id: node.id })
  const { id } = await done(world, 'POST', '/api/peers', { name: 'A laptop of someone', interface: 'wg0' })
  const redeem = async () => {
    const { url } = await done(world, 'POST', `/api/peers/${id}/setup-links`, {})
    return done(world, 'POST', '/api/setup', { link: url.split('#')[1] })
  }
  assert.equal((await redeem()).standby, null, 'nobody knows its address yet')
  await done(world, 'PUT', `/api/nodes/${node.id}`, { endpoint: 'berlin.example.org' })
  const { file_name: name, configuration, standby } = await redeem()
  assert.deepEqual([name, standby.file_name], ['A-laptop-of-som.conf', 'A-laptop-of-s-2.conf'])
  assert.match(configuration, /^Endpoint = home\.example\.org:51900$/m)
  assert.match(standby.configuration, /^Endpoint = berlin\.example\.org:51900$/m)
  assert.match(standby.configuration, /^PrivateKey = /m)
})

test('peers are marked when their standby is another one or elsewhere, until they have the configuration for it', async () => {
  await using world = await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' })
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await create(world, { listen_port: 51_900 })
  const phone = await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const laptop = await done(world, 'POST', '/api/peers', { name: 'laptop', interface: 'wg0' })
  const marked = async () => {
    const { peers } = await done(world, 'GET', '/api/peers?needs_configuration=true&sort=name')
    for (const one of peers) assert.deepEqual([one.needs_configuration, one.needs_standby_configuration], [false, true])
    return peers.map(({ name }: { name: string }) => name)
  }
  const read = (id: string, query = '') => world.service.call('GET', `/api/peers/${id}/config${query}`)
  await put(world, { standby_node_id: berlin.id })
  assert.deepEqual(await marked(), ['laptop', 'phone'])
  await read(phone.id)
  assert.deepEqual(await marked(), ['laptop', 'phone'], 'the usual one does not lead there')
  await read(phone.id, '?standby=true')
  assert.deepEqual(await marked(), ['laptop'])
  const { url } = await done(world, 'POST', `/api/peers/${laptop.id}/setup-links`, {})
  await done(world, 'POST', '/api/setup', { link: url.split('#')[1] })
  assert.deepEqual(await marked(), [])
  await put(world, { mtu: 1400 })
  await done(world, 'PUT', `/api/nodes/${paris.id}`, { endpoint: 'paris.example.org' })
  assert.deepEqual(await marked(), [])
  await done(world, 'PUT', `/api/nodes/${berlin.id}`, { endpoint: 'berlin.example.org' })
  assert.deepEqual(await marked(), ['laptop', 'phone'])
  await put(world, { standby_node_id: null })
  assert.deepEqual(await marked(), [], 'there is none any more')
  await put(world, { standby_node_id: paris.id })
  assert.deepEqual(await marked(), ['laptop', 'phone'])
})
