import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { tunnelsObstacle, type NetworkHost } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, internetAddress, type Device, type TunnelWorld } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const gateway = '10.76.0.1'

describe('access rules', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let name: string
  let devices: { phone: Device; printer: Device; guest: Device }
  const ports = new Map<string, number>()
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' }))
    name = await world.addInterface({ address: '10.76.0.1/24', address6: 'fd76::1/64', dns: '' })
    const peer = { interface: name, routing_mode: 'full_tunnel' }
    devices = {
      phone: await world.connect('phone', { ...peer, ipv6: 'fd76::5' }),
      printer: await world.connect('printer', { ...peer, ipv6: 'fd76::6' }),
      guest: await world.connect('guest', { ...peer, ipv6: 'fd76::7' }),
    }
    const { printer, guest } = devices
    for (const [host, address] of [
      [printer.host, printer.ip],
      [printer.host, 'fd76::6'],
      [guest.host, guest.ip],
      [world.server, gateway],
      [world.internet, internetAddress],
    ] as const)
      ports.set(address, await world.echo(host, address))
  })
  after(() => hosts.disposeAsync())

  const api = (method: string, path: string, body?: object) => world.service.done(method, `/api/access/${path}`, body)
  const peerTarget = ({ id }: Device) => ({ kind: 'peer', id })
  const listed = () => world.server.run('nft', 'list', 'tables')
  const setDefault = (action: 'allow' | 'deny') => api('PUT', `defaults/${name}`, { action })
  /** True when a TCP connection to the echo server at the address opens. */
  const connects = ({ host }: Device, address: string) => opens(host, address, ports.get(address) ?? 0)
  /** The same for one that is to open: a busy machine may need a second try. */
  const comesThrough = (device: Device, address: string) =>
    eventually(
      () => connects(device, address),
      (isOpen) => isOpen,
    )
  const reaches = (host: NetworkHost, address: string) =>
    eventually(
      () => host.canReach(address),
      (isReached) => isReached,
    )
  /** A connection that was cut sends again after pauses that grow. */
  const echoes = (connection: Awaited<ReturnType<typeof openConnection>>) =>
    eventually(
      () => connection.echoes(),
      (isAnswered) => isAnswered,
    )
  const removeAll = async () => {
    for (const { id } of await api('GET', 'rules')) await api('DELETE', `rules/${id}`)
  }

  // What a test that failed left behind fails no other.
  beforeEach(async () => {
    if (obstacle !== null) return
    await removeAll()
    for (const { id } of await api('GET', 'groups')) await api('DELETE', `groups/${id}`)
    await setDefault('allow')
  })

  test('deny, allow and order hold for packets, for both families and for open connections', { skip }, async () => {
    const { phone, printer, guest } = devices
    assert.ok(await reaches(phone.host, printer.ip))
    assert.ok(!(await listed()).includes('hearth_vpn_access'), 'no table without rules')
    const connection = await openConnection(phone.host, printer.ip, ports.get(printer.ip) ?? 0)
    assert.ok(await echoes(connection))

    const deny = await api('POST', 'rules', { from: peerTarget(phone), to: peerTarget(printer), action: 'deny' })
    assert.equal(await connection.echoes(), false, 'an open connection is cut')
    assert.equal(await phone.host.canReach(printer.ip), false)
    assert.equal(await phone.host.canReach('fd76::6'), false)
    assert.ok(await reaches(guest.host, printer.ip), 'another device is not meant')
    assert.ok(await reaches(printer.host, phone.ip), 'the other direction is not meant, and answers come back')

    const port = ports.get(printer.ip) ?? 0
    const allow = { from: { kind: 'everybody' }, to: peerTarget(printer), action: 'allow', position: 1 }
    const rule = await api('POST', 'rules', { ...allow, protocol: 'tcp', ports: [`${port}-${port + 1}`, '9'] })
    assert.ok(await comesThrough(phone, printer.ip), 'the port is allowed')
    assert.ok(await echoes(connection), 'and the connection goes on')
    assert.equal(await phone.host.canReach(printer.ip), false, 'ping is not')
    assert.equal(await connects(phone, 'fd76::6'), false, 'another port is not')
    await api('PUT', `rules/${rule.id}`, { position: 2 })
    assert.equal(await connects(phone, printer.ip), false, 'the first match decides')
    await api('PUT', `rules/${deny.id}`, { enabled: false })
    assert.ok(await comesThrough(phone, printer.ip))
    connection.end()
    await removeAll()
    assert.ok(await reaches(phone.host, printer.ip))
    assert.ok(!(await listed()).includes('hearth_vpn_access'), 'the table goes with the last rule')
  })

  test('default deny leaves the gateway and DNS, and what rules allow', { skip }, async () => {
    const { phone, printer, guest } = devices
    await setDefault('deny')
    assert.deepEqual(
      await Promise.all([
        phone.host.canReach(printer.ip),
        phone.host.canReach('fd76::6'),
        phone.host.canReach(internetAddress),
        reaches(phone.host, gateway),
        comesThrough(phone, gateway),
        connects(phone, internetAddress),
      ]),
      [false, false, false, true, true, false],
    )
    const group = await api('POST', 'groups', { name: 'Home', peer_ids: [phone.id] })
    await api('POST', 'rules', { from: { kind: 'group', id: group.id }, to: { kind: 'internet' }, action: 'allow' })
    await api('POST', 'rules', { from: { kind: 'group', id: group.id }, to: peerTarget(printer), action: 'allow' })
    assert.ok(await comesThrough(phone, internetAddress))
    assert.ok(await comesThrough(phone, printer.ip))
    assert.ok(await reaches(phone.host, 'fd76::6'))
    assert.equal(await connects(guest, internetAddress), false)
    assert.equal(await printer.host.canReach(phone.ip), false)

    await world.service.done('PUT', `/api/peers/${guest.id}`, { tags: ['trusted'] })
    await api('PUT', `groups/${group.id}`, { tags: ['Trusted'] })
    assert.ok(await comesThrough(guest, internetAddress), 'a tag makes it a member')
    await world.service.done('PUT', `/api/peers/${guest.id}`, { tags: [] })
    assert.equal(await connects(guest, internetAddress), false)

    await api('POST', 'rules', { from: { kind: 'everybody' }, to: { kind: 'gateway' }, action: 'deny' })
    assert.equal(await connects(phone, gateway), false)
    assert.ok(await reaches(phone.host, gateway), 'ping at the gateway is always allowed')
    await removeAll()
    await api('DELETE', `groups/${group.id}`)
    await setDefault('allow')
    assert.ok(await reaches(phone.host, printer.ip))
  })

  test(
    'no packet that stays allowed is lost over 50 changes, and none that stays denied passes',
    { skip },
    async () => {
      const { phone, printer, guest } = devices
      await api('POST', 'rules', { from: peerTarget(guest), to: peerTarget(printer), action: 'deny' })
      const group = await api('POST', 'groups', { name: 'Changing', peer_ids: [phone.id, printer.id] })
      const members = { kind: 'group', id: group.id }
      await api('POST', 'rules', {
        from: peerTarget(phone),
        to: peerTarget(printer),
        protocol: 'icmp',
        action: 'allow',
      })
      const [allowed, denied] = [startPing(phone.host, printer.ip), startPing(guest.host, printer.ip)]
      for (let round = 0; round < 10; round += 1) {
        const service = { protocol: 'tcp', ports: [`${1000 + round}`], action: 'deny' }
        const { id } = await api('POST', 'rules', { from: members, to: members, ...service, position: 1 })
        await setDefault(round % 2 === 0 ? 'deny' : 'allow')
        await api('PUT', `groups/${group.id}`, { peer_ids: round % 2 === 0 ? [phone.id] : [phone.id, printer.id] })
        await api('PUT', `rules/${id}`, { protocol: 'udp', ports: [] })
        await api('DELETE', `rules/${id}`)
      }
      const [kept, cut] = [await allowed.stop(), await denied.stop()]
      console.log(`50 changes, ${kept.sent} echoes, slowest ${kept.slowest} ms`)
      assert.deepEqual(kept.lost, [])
      assert.ok(cut.lost.length >= cut.sent - 1, `${cut.lost.length} of ${cut.sent} denied echoes were lost`)
      assert.ok(cut.sent > 20)
      await removeAll()
    },
  )

  test(
    'stay over a restart, come back when another program removes them, and go with the tunnels',
    { skip },
    async () => {
      const { phone, printer } = devices
      await api('POST', 'rules', { from: peerTarget(phone), to: peerTarget(printer), action: 'deny' })
      assert.equal((await world.service.stop()).code, 0)
      assert.equal(await phone.host.canReach(printer.ip), false, 'while the service is away')
      await world.service.start()
      assert.equal(await phone.host.canReach(printer.ip), false)
      await world.server.run('nft', 'delete', 'table', 'inet', 'hearth_vpn_access')
      await eventually(listed, (tables) => tables.includes('hearth_vpn_access'))
      assert.equal(await phone.host.canReach(printer.ip), false)
      await eventually(
        () => Promise.resolve(world.service.output()),
        (output) => output.includes('access rules changed'),
      )
      await world.service.done('DELETE', `/api/peers/${printer.id}`)
      await eventually(listed, (tables) => !tables.includes('hearth_vpn_access'))
      assert.deepEqual(await api('GET', 'rules'), [], 'a rule goes with the peer it names')
      await setDefault('deny')
      assert.equal((await world.service.stop()).code, 0)
      assert.equal((await world.service.command('down')).code, 0)
      assert.ok(!(await listed()).includes('hearth_vpn_access'))
    },
  )
})

/** True when a TCP connection opens within four seconds, in which the system tries three times. */
async function opens(host: NetworkHost, address: string, port: number): Promise<boolean> {
  const { failed } = await host.start('timeout', '4', 'bash', '-c', `exec 3<>/dev/tcp/${address}/${port}`)
  return !failed
}

/** A TCP connection that stays open. */
async function openConnection(host: NetworkHost, address: string, port: number) {
  const script = `exec 3<>/dev/tcp/${address}/${port}; read -u 3 _; while read word; do echo $word >&3; read -t 3 -u 3 back && echo yes || echo no; done`
  const child = host.start('bash', '-c', script)
  return {
    /** True when a word comes back within three seconds. */
    async echoes(): Promise<boolean> {
      const said = new Promise<string>((resolve) =>
        child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
      )
      child.stdin.write('word\n')
      return (await said).trim() === 'yes'
    },
    end: () => child.stdin.end(),
  }
}
