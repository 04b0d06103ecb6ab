import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { createHostedService, type HostedService } from './hosted-service.ts'
import { type JoinedNode, joinNode } from './joined-node.ts'
import {
  createHost,
  createNetwork,
  type NetworkHost,
  packetQueueObstacle,
  tunnelsObstacle,
  uniqueName,
} from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createWgQuickClient, giveResolvers, type WgQuickClient } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const queueObstacle = await packetQueueObstacle()
const [control, nodeAddress, gateway] = ['192.0.2.9', '192.0.2.1', '10.86.0.1']

describe('the replacement of a key on a node', () => {
  const hosts = new AsyncDisposableStack()
  const name = uniqueName('wgk')
  let folder = ''
  let service: HostedService
  let berlin: JoinedNode
  let device: NetworkHost
  let client: WgQuickClient
  let peer: { id: string; public_key: string }

  before(async () => {
    if (obstacle !== null) return
    ;({ path: folder } = hosts.use(await temporaryDirectory('nodes-rotation')))
    const network = hosts.use(await createNetwork('lan'))
    const addHost = async (label: string, address: string) => {
      const host = hosts.use(await createHost(label))
      await network.attach(host, `${address}/24`)
      return host
    }
    service = await createHostedService(await addHost('control', control), folder, {
      PUBLIC_ENDPOINT: control,
      VPN_NODES_LISTEN: `${control}:8110`,
    })
    await service.start()
    const host = await addHost('berlin', nodeAddress)
    berlin = await joinNode(service, host, { label: 'Berlin', endpoint: nodeAddress, folder })
    const on = { node_id: berlin.id, name, address: `${gateway}/24`, listen_port: 51_826, dns: '192.0.2.53' }
    await service.done('POST', '/api/interfaces', on)
    peer = await service.done('POST', '/api/peers', { name: 'laptop', interface: name, ip: '10.86.0.2' })
    device = await addHost('device', '192.0.2.20')
    hosts.use(await giveResolvers(device, 'nameserver 192.0.2.53'))
    const text = (await configuration()).replace(/^AllowedIPs = .*$/m, 'AllowedIPs = 10.86.0.0/24')
    client = await createWgQuickClient(device, { text, folder })
    await client.up()
    await reaches()
  })
  after(() => hosts.disposeAsync())

  const configuration = (): Promise<string> => service.done('GET', `/api/peers/${peer.id}/config`)
  const reaches = () =>
    eventually(
      () => device.canReach(gateway),
      (isReached) => isReached,
      { what: 'the gateway is reached', seconds: 60 },
    )
  /** Begins to replace the key, and waits until the new one is on the node. */
  async function begin(): Promise<string> {
    const { key_rotation: waiting } = await service.done('POST', `/api/peers/${peer.id}/rotation`, {})
    await eventually(
      () => berlin.host.run('wg', 'show', name, 'peers'),
      (keys) => keys.includes(waiting.public_key),
      { what: 'the new key waits on the node', seconds: 60 },
    )
    return waiting.public_key
  }
  /** Gives the running tunnel of the device the keys of its configuration. */
  async function takeOver(text: string): Promise<void> {
    const valueOf = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(text)?.[1] ?? ''
    const [key, preshared] = [join(folder, 'key'), join(folder, 'preshared')]
    await writeFile(key, `${valueOf('PrivateKey')}\n`)
    await writeFile(preshared, `${valueOf('PresharedKey')}\n`)
    const other = ['peer', valueOf('PublicKey'), 'preshared-key', preshared]
    await device.run('wg', 'set', client.name, 'private-key', key, ...other)
  }
  const isFinished = (key: string) =>
    eventually(
      () => service.done('GET', `/api/peers/${peer.id}`),
      (shown) => shown.public_key === key && shown.key_rotation === null,
      { what: 'the service has the new key', seconds: 60, everyMs: 200 },
    )

  test('loses nothing at the change of keys, and the service hears of it at once', { skip }, async () => {
    const lost: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const key = await begin()
      const text = await configuration()
      const ping = startPing(device, gateway)
      await takeOver(text)
      await isFinished(key)
      await reaches()
      lost.push((await ping.stop()).lost.length)
    }
    console.log(`echoes lost at each of ${lost.length} replacements on a node: ${lost.join(' ')}`)
    // A busy machine may have a packet under way in the moment in which the device changes over.
    if (queueObstacle === null) return assert.equal(Math.min(...lost), 0, lost.join(' '))
    console.log(`handshakes were not held: ${queueObstacle}`)
    // A busy machine loses more; a report of the node takes half a minute, which would be six hundred.
    assert.ok(Math.min(...lost) <= 100, lost.join(' '))
  })

  test('goes on while the service is away, which takes the new key over when it is back', { skip }, async () => {
    const key = await begin()
    const text = await configuration()
    await service.stop()
    await takeOver(text)
    await reaches()
    assert.ok(!(await berlin.host.run('wg', 'show', name, 'peers')).includes(peer.public_key))
    await berlin.program.end('SIGKILL')
    await berlin.program.start()
    await reaches()
    await service.start()
    await isFinished(key)
    await reaches()
    assert.deepEqual((await berlin.host.run('wg', 'show', name, 'peers')).trim(), key)
  })
})
