import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { tunnelsObstacle } from './network-hosts.ts'
import {
  createTunnelWorld,
  endpoint,
  internetAddress,
  plainResolvers,
  transfer,
  type TunnelWorld,
} from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const mebibyte = 1024 * 1024

describe('a device with the file of GET /api/peers/{id}/config and wg-quick', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let name: string
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld())
    name = await world.addInterface({ address: '10.71.0.1/24', address6: 'fd71::1/64', dns: '10.71.0.1' })
  })
  after(() => hosts.disposeAsync())

  test('reaches the server, and the API shows handshake, transfer, endpoint and status', { skip }, async () => {
    const begin = Date.now()
    const device = await world.connect('phone', { interface: name, routing_mode: 'isolated', ipv6: 'fd71::2' })
    assert.ok(await device.host.canReach('10.71.0.1'))
    assert.ok(await device.host.canReach('fd71::1'))
    assert.deepEqual(await device.client.resolvers(), ['nameserver 10.71.0.1'])
    assert.equal(await device.host.canReach(internetAddress), false)

    const active = await eventually(
      () => world.peer(device),
      (peer) => peer.status === 'active',
    )
    const age = Date.parse(active.last_handshake) - begin
    assert.ok(age >= -1000 && Date.parse(active.last_handshake) <= Date.now(), `handshake ${age} ms after the start`)
    assert.equal(active.connected, true)
    assert.match(active.endpoint, /^192\.0\.2\.\d+:\d+$/)

    const port = await world.echo(world.server, '10.71.0.1')
    const bytes = 4 * mebibyte
    assert.deepEqual(await transfer(device.host, { address: '10.71.0.1', port, bytes }), {
      seenFrom: device.ip,
      bytes,
      isIntact: true,
    })
    const grown = await eventually(
      () => world.peer(device),
      (peer) => peer.transfer_rx >= active.transfer_rx + bytes && peer.transfer_tx >= active.transfer_tx + bytes,
    )
    assert.ok(grown.transfer_rx < active.transfer_rx + bytes * 1.2)

    await device.client.down()
    assert.deepEqual(await device.client.resolvers(), [plainResolvers])
    assert.equal(await device.host.canReach('fd71::1'), false)
  })

  test('reaches the internet through a full tunnel with the server’s address', { skip }, async () => {
    const device = await world.connect('full', { interface: name, routing_mode: 'full_tunnel' })
    const port = await world.echo(world.internet, internetAddress)
    assert.ok(await device.host.canReach(internetAddress))
    assert.deepEqual(await transfer(device.host, { address: internetAddress, port, bytes: mebibyte }), {
      seenFrom: endpoint,
      bytes: mebibyte,
      isIntact: true,
    })
    await world.service.done('PUT', `/api/interfaces/${name}`, { nat: false })
    assert.equal(await device.host.canReach(internetAddress), false)
    await world.service.done('PUT', `/api/interfaces/${name}`, { nat: true })
    assert.ok(await device.host.canReach(internetAddress))
    await device.client.down()
    assert.equal(await device.host.canReach(internetAddress), false)
    assert.equal((await device.host.run('ip', 'rule')).includes('fwmark'), false)
  })

  test('reaches other devices unless one is isolated, and transfers data to them', { skip }, async () => {
    const laptop = await world.connect('laptop', { interface: name, routing_mode: 'isolated', ipv6: 'fd71::a' })
    const tablet = await world.connect('tablet', { interface: name, routing_mode: 'isolated', ipv6: 'fd71::b' })
    const isolate = (id: string, value: boolean) =>
      world.service.done('PUT', `/api/peers/${id}`, { client_isolation: value })
    assert.ok(await laptop.host.canReach(tablet.ip))
    assert.ok(await tablet.host.canReach('fd71::a'))
    const port = await world.echo(tablet.host, tablet.ip)
    const bytes = 2 * mebibyte
    assert.deepEqual(await transfer(laptop.host, { address: tablet.ip, port, bytes }), {
      seenFrom: laptop.ip,
      bytes,
      isIntact: true,
    })

    for (const isolated of [laptop, tablet]) {
      const other = isolated === laptop ? tablet : laptop
      await isolate(isolated.id, true)
      const reached = await Promise.all([
        isolated.host.canReach(other.ip),
        other.host.canReach(isolated.ip),
        isolated.host.canReach(other.ipv6 ?? ''),
        isolated.host.canReach('10.71.0.1'),
      ])
      assert.deepEqual(reached, [false, false, false, true])
      await isolate(isolated.id, false)
      assert.ok(await isolated.host.canReach(other.ip))
    }
  })

  test('is cut off when disabled or expired, and returns when that is reverted', { skip }, async () => {
    const device = await world.connect('guest', { interface: name, routing_mode: 'isolated' })
    const change = (body: object) => world.service.done('PUT', `/api/peers/${device.id}`, body)
    assert.ok(await device.host.canReach('10.71.0.1'))
    const before = await eventually(
      () => world.peer(device),
      (peer) => peer.status === 'active' && peer.transfer_rx > 0,
    )

    assert.equal((await change({ enabled: false })).status, 'disabled')
    assert.equal(await device.host.canReach('10.71.0.1'), false)
    const off = await world.peer(device)
    assert.deepEqual([off.status, off.connected, off.enabled], ['disabled', false, false])
    assert.ok(off.transfer_rx >= before.transfer_rx)
    assert.equal((await change({ enabled: true })).enabled, true)
    // wireguard-go tries again after five seconds on its own; a new packet after a new start of the tunnel is at once.
    await device.client.down()
    await device.client.up()
    assert.ok(await device.host.canReach('10.71.0.1'))
    const back = await eventually(
      () => world.peer(device),
      (peer) => peer.status === 'active' && peer.transfer_rx > off.transfer_rx,
    )

    const expiry = Date.now() + 3000
    await change({ expires_at: new Date(expiry).toISOString() })
    assert.ok(await device.host.canReach('10.71.0.1'))
    await eventually(
      () => world.peer(device),
      (peer) => peer.status === 'disabled' && peer.expired,
    )
    assert.ok(Date.now() >= expiry)
    await eventually(
      () => device.host.canReach('10.71.0.1'),
      (reached) => !reached,
    )
    assert.ok(Date.now() < expiry + 15_000, `cut off ${Date.now() - expiry} ms after the date`)
    const expired = await world.peer(device)
    assert.deepEqual([expired.status, expired.connected, expired.enabled], ['disabled', false, true])
    assert.ok(expired.transfer_rx >= back.transfer_rx)
    assert.match(await world.server.run('wg', 'show', name, 'peers'), /./)
    assert.ok(!(await world.server.run('wg', 'show', name, 'allowed-ips')).includes(`${device.ip}/32`))
  })

  test('keeps its totals across an interface restart, a service restart and a crash', { skip }, async () => {
    const device = await world.connect('count', { interface: name, routing_mode: 'isolated' })
    const port = await world.echo(world.server, '10.71.0.1')
    const bytes = mebibyte
    const { service } = world
    // What happens before the transfer and after it: the device counts while the service is away.
    const events: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['nothing', () => Promise.resolve(), () => Promise.resolve()],
      [
        'a stop and start of the interface',
        async () => {
          assert.equal((await service.done('POST', `/api/interfaces/${name}/stop`)).status, 'inactive')
          const stopped = await world.peer(device)
          assert.deepEqual([stopped.status, stopped.connected], ['inactive', false])
          await service.done('POST', `/api/interfaces/${name}/start`)
          await device.client.down()
          await device.client.up()
        },
        () => Promise.resolve(),
      ],
      ['a restart', async () => assert.equal((await service.stop()).code, 0), () => service.start()],
      ['a crash', () => service.kill(), () => service.start()],
    ]
    let counted = { rx: 0, tx: 0 }
    for (const [event, begin, end] of events) {
      await begin()
      assert.ok((await transfer(device.host, { address: '10.71.0.1', port, bytes })).isIntact)
      await end()
      const least = { rx: counted.rx + bytes, tx: counted.tx + bytes }
      const peer = await eventually(
        () => world.peer(device),
        ({ transfer_rx, transfer_tx }) => transfer_rx >= least.rx && transfer_tx >= least.tx,
        { what: `the count after ${event}` },
      )
      assert.ok(peer.transfer_rx < least.rx + bytes * 0.2, `nothing is counted twice after ${event}`)
      assert.equal(peer.status, 'active')
      counted = { rx: peer.transfer_rx, tx: peer.transfer_tx }
    }
  })

  test(
    'has a connection in its history with its bytes, over a restart and a crash, until it is cut off',
    { skip },
    async () => {
      const { service } = world
      const begin = Date.now()
      const device = await world.connect('history', { interface: name, routing_mode: 'isolated' })
      const port = await world.echo(world.server, '10.71.0.1')
      const bytes = mebibyte
      const list = (): Promise<{ began_at: string; ended_at: string | null; rx_bytes: number; tx_bytes: number }[]> =>
        service.done('GET', `/api/peers/${device.id}/connections`)
      const moved = async (count: number) => {
        assert.ok((await transfer(device.host, { address: '10.71.0.1', port, bytes })).isIntact)
        const rows = await eventually(
          list,
          ([row]) => row !== undefined && Math.min(row.rx_bytes, row.tx_bytes) >= count * bytes,
        )
        assert.equal(rows.length, 1, 'it is one connection')
        assert.ok((rows[0]?.rx_bytes ?? 0) < count * bytes * 1.2, 'nothing is counted twice')
        return rows[0]
      }
      const first = await moved(1)
      const began = Date.parse(first?.began_at ?? '')
      assert.ok(began >= begin - 1000 && began <= Date.now(), `began ${began - begin} ms after the start`)
      assert.equal(first?.ended_at, null)
      await service.stop()
      await service.start()
      await moved(2)
      await service.kill()
      await service.start()
      const last = await moved(3)
      const [{ addresses }] = await service.done('GET', `/api/peers/${device.id}/connections`)
      assert.match(addresses[0].address, /^192\.0\.2\.\d+$/)

      await service.done('PUT', `/api/peers/${device.id}`, { enabled: false })
      const cutOff = Date.now()
      const [ended] = await eventually(list, ([row]) => row?.ended_at !== null)
      assert.equal(ended?.began_at, last?.began_at)
      assert.ok(Math.abs(Date.parse(ended?.ended_at ?? '') - cutOff) < 10_000, `ended ${ended?.ended_at}`)
      const timeline = await service.done('GET', `/api/peers/${device.id}/connections/timeline`)
      assert.deepEqual(timeline.spans, [{ began_at: ended?.began_at, ended_at: ended?.ended_at }])
      await service.done('PUT', `/api/peers/${device.id}`, { enabled: true })
      await device.client.down()
      await device.client.up()
      assert.ok(await device.host.canReach('10.71.0.1'))
      await eventually(list, (rows) => rows.length === 2)
    },
  )

  test('is active for 180 seconds after its last handshake, then inactive', { skip }, async () => {
    const { service } = world
    const { id } = await service.done('POST', '/api/peers', { name: 'silent', interface: name })
    assert.equal((await service.done('GET', `/api/peers/${id}`)).status, 'inactive')
    await service.stop()
    const handshake = Date.now() - 150_000
    using database = new DatabaseSync(join(world.folder, 'data/vpn.db'))
    database.prepare('update peer_activity set last_handshake = ? where peer_id = ?').run(handshake, id)
    await service.start()
    const read = () => service.done('GET', `/api/peers/${id}`)
    const active = await read()
    assert.ok(Date.now() < handshake + 180_000, 'the service starts fast enough for this test')
    assert.deepEqual([active.status, active.connected], ['active', true])
    const { peers } = await service.done('GET', `/api/peers?status=active&search=silent`)
    assert.equal(peers.length, 1)
    const inactive = await eventually(read, (peer) => peer.status === 'inactive', { seconds: 40 })
    assert.ok(Date.now() >= handshake + 180_000)
    assert.equal(inactive.connected, false)
    assert.equal(Date.parse(inactive.last_handshake), handshake)
  })
})
