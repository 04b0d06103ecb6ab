import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { packetQueueObstacle, tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, endpoint, transfer, type Device, type TunnelWorld } from './tunnel-world.ts'
import { createWgQuickClient } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const gateway = '10.76.0.1'
/** Sends 5,000 messages with the length and the type of a handshake's first. */
const flood = `
  const [address, port] = process.argv.slice(1)
  const socket = require('node:dgram').createSocket('udp4')
  const message = require('node:crypto').randomBytes(148)
  message.writeUInt32LE(1)
  let sent = 0
  const send = () => sent++ < 5000 ? socket.send(message, Number(port), address, send) : socket.close()
  send()
`
const queueObstacle = await packetQueueObstacle()

describe('the replacement of a key', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let [device, other]: Device[] = []
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' }))
    const name = await world.addInterface({ address: '10.76.0.1/24', dns: '' })
    device = await world.connect('rotate', { interface: name, routing_mode: 'isolated' })
    other = await world.connect('other', { interface: name, routing_mode: 'isolated' })
  })
  after(() => hosts.disposeAsync())

  const begin = (body: object = {}) => world.service.done('POST', `/api/peers/${device?.id}/rotation`, body)
  const configuration = (): Promise<string> => world.service.done('GET', `/api/peers/${device?.id}/config`)
  const finished = () =>
    eventually(
      () => world.peer(device as Device),
      (peer) => peer.key_rotation === null,
    )

  /** Gives the running tunnel of the device the keys of a configuration, as an app does that takes over a new one. */
  async function takeOver(text: string): Promise<void> {
    const { host, client } = device as Device
    const valueOf = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? ''
    const files = ['PrivateKey', 'PresharedKey'].map((name) => join(world.folder, `${name}-of-device`))
    await Promise.all(
      files.map((file, index) => writeFile(file, `${valueOf(['PrivateKey', 'PresharedKey'][index] ?? '')}\n`)),
    )
    const [key = '', preshared = ''] = files
    const peer = ['peer', valueOf('PublicKey'), 'preshared-key', preshared]
    await host.run('wg', 'set', client.name, 'private-key', key, ...peer)
  }

  test('leaves the old key working until the new one is used, and others undisturbed', { skip }, async () => {
    const { host } = device as Device
    const bystander = startPing((other as Device).host, gateway)
    const pings = startPing(host, gateway)
    const { public_key: oldKey } = await world.peer(device as Device)
    for (let round = 0; round < 5; round += 1) {
      await begin()
      await world.service.done('DELETE', `/api/peers/${device?.id}/rotation`)
    }
    const { key_rotation: waiting } = await begin()
    const text = await configuration()
    assert.ok(await host.canReach(gateway))
    assert.equal((await world.peer(device as Device)).public_key, oldKey)
    assert.deepEqual((await pings.stop()).lost, [], 'the old key works all the while')

    const lost: number[] = []
    const ping = startPing(host, gateway)
    await takeOver(text)
    const peer = await finished()
    assert.equal(peer.public_key, waiting.public_key)
    lost.push((await ping.stop()).lost.length)
    for (let round = 0; round < 7; round += 1) {
      const next = startPing(host, gateway)
      await begin()
      await takeOver(await configuration())
      await finished()
      await eventually(() => host.canReach(gateway), Boolean)
      lost.push((await next.stop()).lost.length)
    }
    console.log(`echoes lost at each of ${lost.length} replacements, of twenty a second: ${lost.join(' ')}`)
    assert.deepEqual((await bystander.stop()).lost, [])
    const median = lost.toSorted((a, b) => a - b)[lost.length / 2] ?? Infinity
    // A busy machine may have a packet under way in the moment in which the device changes over.
    if (queueObstacle === null) return assert.equal(median, 0, lost.join(' '))
    // Packets are lost between the first one of the new key and the move of the addresses; five seconds' worth would be a fault.
    console.log(`handshakes were not held: ${queueObstacle}`)
    assert.ok(median <= 100, lost.join(' '))
  })

  test('does not break a connection that transfers', { skip }, async () => {
    const { host, client } = device as Device
    const port = await world.echo(world.server, gateway)
    await begin()
    const text = await configuration()
    const sent = async () => Number((await host.run('wg', 'show', client.name, 'transfer')).split('\t')[2])
    const before = await sent()
    const bytes = 120_000_000
    let isOver = false
    const running = transfer(host, { address: gateway, port, bytes }).finally(() => (isOver = true))
    await eventually(sent, (now) => now > before + 5_000_000)
    await takeOver(text)
    await finished()
    assert.equal(isOver, false, 'the key was replaced in the middle of the transfer')
    assert.deepEqual(await running, { seenFrom: device?.ip, bytes, isIntact: true })
  })

  test('bears a flood of messages that look like handshakes while a key waits', { skip }, async () => {
    const { host } = device as Device
    await begin()
    const text = await configuration()
    const [, port = ''] = /^Endpoint = .*:(\d+)$/m.exec(text) ?? []
    await host.run(process.execPath, '-e', flood, endpoint, port)
    const reaches = (from: Device) =>
      eventually(
        () => from.host.canReach(gateway),
        (reached) => reached,
      )
    await reaches(other as Device)
    await reaches(device as Device)
    await takeOver(text)
    // A device begins its handshake when it has something to send.
    await reaches(device as Device)
    await finished()
  })

  test('lets handshakes through when the service was killed while a key waits', { skip }, async () => {
    const { host } = device as Device
    const current = await configuration()
    await begin()
    const text = await configuration()
    await world.service.kill()
    // The same key again: the device makes a new handshake.
    await takeOver(current)
    await eventually(
      () => host.canReach(gateway),
      (reached) => reached,
    )
    await world.service.start()
    await takeOver(text)
    await eventually(
      () => host.canReach(gateway),
      (reached) => reached,
    )
    await finished()
    // The rules go with the last key that waits.
    await eventually(
      () => world.server.run('nft', 'list', 'ruleset'),
      (rules) => !/queue/.test(rules),
      { what: 'no packet queue is left' },
    )
  })

  test('works with a file that is brought up in place of the old one, which is of no use then', { skip }, async () => {
    const { host, client } = device as Device
    const old = await configuration()
    await begin()
    const next = await createWgQuickClient(host, { text: await configuration(), folder: world.folder })
    await client.down()
    await next.up()
    await eventually(
      () => host.canReach(gateway),
      (reached) => reached,
    )
    await finished()
    await takeOverOf(next.name, old)
    await eventually(
      () => host.canReach(gateway),
      (reached) => !reached,
    )

    async function takeOverOf(name: string, text: string): Promise<void> {
      const file = join(world.folder, 'old-key')
      await writeFile(file, `${/^PrivateKey = (.*)$/m.exec(text)?.[1]}\n`)
      await host.run('wg', 'set', name, 'private-key', file)
    }
  })
})
