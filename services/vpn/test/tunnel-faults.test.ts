import assert from 'node:assert/strict'
import { readdir, readFile, rename } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, type Device, type TunnelWorld } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false

describe('a tunnel that is disturbed from outside', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let name: string
  let device: Device
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' }))
    name = await world.addInterface({ address: '10.73.0.1/24', dns: '' })
    device = await world.connect('near', { interface: name, routing_mode: 'isolated' })
    assert.ok(await device.host.canReach('10.73.0.1'))
  })
  after(() => hosts.disposeAsync())

  const peersHeld = async () => new Set((await world.server.run('wg', 'show', name, 'allowed-ips')).split('\n'))
  const firewall = () => world.server.run('nft', 'list', 'table', 'inet', 'hearth_vpn')
  const listed = async () => (await world.service.done('GET', `/api/peers?interface=${name}&limit=100`)).peers
  /** Compares what the API counts for the only peer that sends with what the device received: equal when each byte counts once. */
  const allCounted = async () => {
    const { transfer_rx: transfer } = await world.peer(device)
    const rows = (await world.server.run('wg', 'show', name, 'transfer')).split('\n')
    const received = rows.reduce((sum, row) => sum + Number(row.split('\t')[1]), 0)
    return { transfer, received, isWhole: transfer === received }
  }
  /** Reads the peers through the API, without their activity. */
  const records = async () =>
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
    (await listed()).map(({ transfer_rx: _rx, transfer_tx: _tx, last_handshake: _handshake, ...peer }: any) => peer)

  test(
    'is repaired when peers, address, MTU or firewall were changed by hand, and no other peer notices',
    { skip },
    async () => {
      const { server, service } = world
      const { public_key } = await service.done('POST', '/api/peers', { name: 'far', interface: name })
      const [held, rules] = [await peersHeld(), await firewall()]
      const ping = startPing(device.host, '10.73.0.1')
      await server.run('wg', 'set', name, 'peer', public_key, 'remove')
      const unknown = `${'c'.repeat(42)}8=`
      await server.run('wg', 'set', name, 'peer', unknown, 'allowed-ips', '10.73.0.77/32')
      await eventually(peersHeld, (found) => found.symmetricDifference(held).size === 0)
      await server.run('ip', 'address', 'add', '10.99.0.1/24', 'dev', name)
      await server.run('ip', 'link', 'set', name, 'mtu', '1300')
      await server.run('nft', 'delete', 'table', 'inet', 'hearth_vpn')
      await eventually(
        () => server.run('ip', 'address', 'show', 'dev', name),
        (text) => !text.includes('10.99.0.1') && text.includes('mtu 1420'),
      )
      await eventually(firewall, (text) => text === rules)
      assert.deepEqual((await ping.stop()).lost, [])
    },
  )

  test('answers 500 "Tunnel Error" to a change that cannot be applied, and nothing has changed', { skip }, async () => {
    const { service } = world
    const isolated = { interface: name, client_isolation: true }
    const { id } = await service.done('POST', '/api/peers', { name: 'kept', ...isolated })
    const [recorded, held, rules] = [await records(), await peersHeld(), await firewall()]
    const counted = (await eventually(allCounted, ({ isWhole }) => isWhole)).transfer
    const ping = startPing(device.host, '10.73.0.1')
    const socket = `/var/run/wireguard/${name}.sock`
    await rename(socket, `${socket}.away`)
    for (const [method, path, body] of [
      ['POST', '/api/peers', { name: 'too late', ...isolated }],
      ['PUT', `/api/peers/${id}`, { enabled: false }],
      ['PUT', `/api/peers/${id}`, { ip: '10.73.0.200', name: 'moved' }],
      ['PUT', `/api/peers/${id}`, { use_preshared_key: false }],
      ['DELETE', `/api/peers/${id}`, undefined],
    ] as const) {
      const { status, body: answer } = await service.call(method, path, body)
      assert.deepEqual([status, answer.error], [500, 'Tunnel Error'], `${method} ${path}`)
      assert.match(answer.message, /nothing was changed/)
      assert.deepEqual(await records(), recorded)
      assert.equal(await firewall(), rules)
    }
    const read = () => service.done('GET', `/api/interfaces/${name}`)
    const failed = await eventually(read, ({ status }) => status === 'error')
    assert.match(failed.status_reason, /./)
    await rename(`${socket}.away`, socket)
    assert.deepEqual(await peersHeld(), held)
    await eventually(read, ({ status, status_reason }) => status === 'active' && status_reason === null)
    const { lost, sent } = await ping.stop()
    assert.deepEqual(lost, [])
    const { transfer } = await eventually(allCounted, ({ isWhole }) => isWhole)
    assert.ok(transfer > counted + sent * 84)
    assert.equal((await service.call('DELETE', `/api/peers/${id}`)).status, 200)
  })

  test('is built anew with all its peers when its process was killed', { skip }, async () => {
    const [held, before] = [await peersHeld(), await world.peer(device)]
    process.kill(await processOf(name), 'SIGKILL')
    await eventually(peersHeld, (found) => found.symmetricDifference(held).size === 0)
    await device.client.down()
    await device.client.up()
    assert.ok(await device.host.canReach('10.73.0.1'))
    const after = await eventually(
      () => world.peer(device),
      ({ transfer_rx }) => transfer_rx > before.transfer_rx,
    )
    assert.equal(after.status, 'active')
  })

  test(
    'stays up when the service is asked to end, which it does with exit code 0 after the work it has',
    { skip },
    async () => {
      const { service } = world
      const ping = startPing(device.host, '10.73.0.1')
      const stream = service.call('GET', '/api/events').catch(() => undefined)
      const changes = ['a', 'b', 'c', 'd'].map((letter) =>
        service.call('POST', '/api/peers', { name: `last ${letter}`, interface: name }).catch(() => undefined),
      )
      await changes[0]
      const begin = performance.now()
      const { code } = await service.stop()
      assert.equal(code, 0)
      assert.ok(performance.now() - begin < 5000, `ended after ${performance.now() - begin} ms`)
      await stream
      const made = (await Promise.all(changes)).flatMap((answer) =>
        answer?.status === 201 ? [answer.body.data.id] : [],
      )
      assert.ok(await device.host.canReach('10.73.0.1'))
      await service.start()
      const peers: { id: string; ip: string }[] = await listed()
      for (const id of made) assert.ok(peers.some((peer) => peer.id === id))
      assert.equal((await peersHeld()).size, peers.length)
      assert.deepEqual((await ping.stop()).lost, [])
    },
  )

  test(
    'belongs to one service: a second on the same data directory is refused in one line, and so is "down"',
    { skip },
    async () => {
      for (const word of ['serve', 'down']) {
        const { code, stdout, stderr } = await world.service.command(word)
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /^hearth: DATA_DIR: .* is in use by another running service\n?$/)
      }
      assert.ok(await device.host.canReach('10.73.0.1'))
    },
  )

  test('goes away with its firewall on "hearth vpn down", and comes back with the next start', { skip }, async () => {
    const { server, service } = world
    await service.stop()
    const { code, stderr } = await service.command('down')
    assert.deepEqual([code, stderr.trim()], [0, `${name} is down`])
    assert.equal((await server.run('ip', '-o', 'link')).includes(name), false)
    assert.equal((await readdir('/var/run/wireguard')).includes(`${name}.sock`), false)
    await assert.rejects(firewall())
    await service.start()
    await device.client.down()
    await device.client.up()
    assert.ok(await device.host.canReach('10.73.0.1'))
  })
})

/** The process of a userspace device; its name is no one else's. */
async function processOf(name: string): Promise<number> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const words = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (words === `wireguard-go\0${name}\0`) return Number(entry)
  }
  throw new Error(`no wireguard-go for ${name}`)
}
