import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { dig, startProgram } from './dns-world.ts'
import { addressOf } from './fake-nameserver.ts'
import { createHostedService, type HostedService } from './hosted-service.ts'
import { type JoinedNode, joinNode, withOwnSockets } from './joined-node.ts'
import { createHost, createNetwork, type NetworkHost, tunnelsObstacle, uniqueName } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createWgQuickClient, giveResolvers, type WgQuickClient } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const [control, internetAddress] = ['192.0.2.9', '192.0.2.53']
const gateway = '10.85.0.1'

describe('an interface with a standby', () => {
  const hosts = new AsyncDisposableStack()
  const name = uniqueName('wgy')
  let folder = ''
  let service: HostedService
  let [berlin, paris]: JoinedNode[] = []
  let device: NetworkHost
  let usual: WgQuickClient
  let second: WgQuickClient
  let peer: { id: string; public_key: string }

  before(async () => {
    if (obstacle !== null) return
    ;({ path: folder } = hosts.use(await temporaryDirectory('standby')))
    const network = hosts.use(await createNetwork('lan'))
    const addHost = async (label: string, address: string) => {
      const host = hosts.use(await createHost(label))
      await network.attach(host, `${address}/24`)
      return host
    }
    const internet = await addHost('internet', internetAddress)
    await startProgram(internet, 'fake-nameserver.ts', internetAddress, '53', '{}')
    service = await createHostedService(await addHost('control', control), folder, {
      PUBLIC_ENDPOINT: control,
      VPN_NODES_LISTEN: `${control}:8110`,
      DNS_UPSTREAMS: `udp://${internetAddress}`,
      OUTBOUND_ALLOW: internetAddress,
      DRIFT_CHECK_SECONDS: '1',
    })
    await service.start()
    for (const list of await service.done('GET', '/api/dns/blocklists'))
      if (list.enabled) await service.done('PUT', `/api/dns/blocklists/${list.id}`, { enabled: false })
    const join = (label: string, host: NetworkHost, endpoint: string) =>
      joinNode(service, host, { label, endpoint, folder })
    berlin = await join('Berlin', await addHost('berlin', '192.0.2.1'), '192.0.2.1')
    paris = await join('Paris', withOwnSockets(await addHost('paris', '192.0.2.2')), '192.0.2.2')
    device = await addHost('device', '192.0.2.20')
    hosts.use(await giveResolvers(device, `nameserver ${internetAddress}`))
    const place = { node_id: berlin.id, standby_node_id: paris.id }
    await service.done('POST', '/api/interfaces', { name, address: `${gateway}/16`, listen_port: 51_821, ...place })
    peer = await service.done('POST', '/api/peers', { name: 'laptop', interface: name })
    usual = await clientOf('')
    second = await clientOf('?standby=true')
  })
  after(() => hosts.disposeAsync())

  async function clientOf(query: string): Promise<WgQuickClient> {
    const { text } = await service.call('GET', `/api/peers/${peer.id}/config${query}`)
    return createWgQuickClient(device, {
      text: text.replace(/^AllowedIPs = .*$/m, 'AllowedIPs = 10.85.0.0/16'),
      folder,
    })
  }

  const reaches = () =>
    eventually(
      () => device.canReach(gateway),
      (isReached) => isReached,
      { what: 'the gateway is reached', seconds: 60 },
    )
  const finds = (domain: string) =>
    eventually(
      () => dig(device, gateway, '+time=1', domain),
      (answer) => answer.join() === ['NOERROR', `A ${addressOf(domain)}`].join(),
      { what: `${domain} is found`, seconds: 60, everyMs: 200 },
    )
  const read = (): Promise<{ status: string; standby: { status: string } | null }> =>
    service.done('GET', `/api/interfaces/${name}`)
  const bothRun = () =>
    eventually(read, ({ status, standby }) => status === 'active' && standby?.status === 'active', {
      what: 'the interface and its standby run',
      seconds: 60,
      everyMs: 200,
    })
  /** Bytes that the devices of both nodes counted of the peer. */
  const counted = async (): Promise<[rx: number, tx: number]> => {
    const first = (await berlin?.host.run('wg', 'show', name, 'transfer')) ?? ''
    const pids = (await paris?.host.run('ip', 'netns', 'pids', paris.host.name)) ?? ''
    // The sockets of that node are in a folder that only its programs see.
    const inside = ['--mount', '--target', pids.split('\n')[0] ?? '', 'wg', 'show', name, 'transfer']
    const other = (await paris?.host.run('nsenter', ...inside)) ?? ''
    const pairs = [first, other].map((text) => text.trim().split('\t').slice(1).map(Number))
    return [0, 1].map((at) => pairs.reduce((sum, pair) => sum + (pair[at] ?? 0), 0)) as [number, number]
  }

  test('a device connects to either host with the file for it', { skip }, async () => {
    await bothRun()
    await usual.up()
    await reaches()
    await finds('first.example')
    await usual.down()
    await second.up()
    await reaches()
    await finds('second.example')
    await second.down()
  })

  test('when a node is gone, the device goes on at the standby, and all is counted once', { skip }, async () => {
    assert.ok(berlin !== undefined && paris !== undefined)
    await usual.up()
    await reaches()
    await finds('before.example')
    await berlin.program.end('SIGKILL')
    // The host is cut off, as one that is off.
    await berlin.host.run(
      'nft',
      'add table inet gone; add chain inet gone incoming { type filter hook input priority 0; policy drop; }',
    )
    assert.equal(await device.canReach(gateway), false)
    await usual.down()
    await second.up()
    await reaches()
    await finds('after.example')
    await service.done('POST', '/api/dns/rules', { action: 'block', domain: 'blocked.example' })
    await eventually(
      () => dig(device, gateway, '+time=1', 'blocked.example'),
      (answer) => answer.includes('A 0.0.0.0'),
      { what: 'a new rule holds there', seconds: 60, everyMs: 200 },
    )
    await device.run('ping', '-q', '-c', '50', '-i', '0.02', '-s', '1000', gateway)
    await berlin.host.run('nft', 'delete table inet gone')
    await berlin.program.start()
    await bothRun()
    await eventually(
      async () => {
        const { transfer_rx: rx, transfer_tx: tx } = await service.done('GET', `/api/peers/${peer.id}`)
        return [[rx, tx], await counted()]
      },
      ([shown, devices]) => JSON.stringify(shown) === JSON.stringify(devices),
      { what: 'the bytes of both devices', seconds: 120, everyMs: 500 },
    )
    const names = async () => {
      const found = await service.done('GET', '/api/dns/queries?limit=100&domain=.example')
      return found.map((query: { domain: string; client: string }) => `${query.client} ${query.domain}`)
    }
    const wanted = ['laptop before.example', 'laptop after.example']
    await eventually(names, (found: string[]) => wanted.every((one) => found.includes(one)), {
      what: 'the queries of both nodes',
      seconds: 60,
      everyMs: 500,
    })
    const { connected } = await service.done('GET', `/api/peers/${peer.id}`)
    assert.equal(connected, true)
    await second.down()
  })

  test('setting, moving and clearing a standby costs a connected device no packet', { skip }, async () => {
    await usual.up()
    await reaches()
    const ping = startPing(device, gateway)
    await service.done('PUT', `/api/interfaces/${name}`, { standby_node_id: null })
    await eventually(
      () => paris?.host.run('ip', '-o', 'link') ?? Promise.resolve(''),
      (links) => !links.includes(name),
      { what: 'the standby has let it go', seconds: 60 },
    )
    await service.done('PUT', `/api/interfaces/${name}`, { standby_node_id: paris?.id })
    await bothRun()
    await service.done('PUT', `/api/interfaces/${name}`, { node_id: paris?.id, standby_node_id: berlin?.id })
    await bothRun()
    await service.done('PUT', `/api/interfaces/${name}`, { node_id: berlin?.id, standby_node_id: paris?.id })
    await bothRun()
    const { lost, sent } = await ping.stop()
    assert.deepEqual(lost, [], `of ${sent}`)
    await usual.down()
  })
})
