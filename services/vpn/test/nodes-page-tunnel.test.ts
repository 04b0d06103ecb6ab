import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { createHostedService, type HostedService } from './hosted-service.ts'
import { type JoinedNode, joinNode, withOwnSockets } from './joined-node.ts'
import { createHost, createNetwork, type NetworkHost, tunnelsObstacle, uniqueName } from './network-hosts.ts'
import type { PageReply, PageRequest } from './page-client.ts'
import { startPing } from './steady-ping.ts'
import { createWgQuickClient, giveResolvers } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const [control, nodeAddress] = ['192.0.2.9', '192.0.2.1']
const gateway = '10.85.0.1'
const page = `http://${gateway}/`
const program = join(import.meta.dirname, 'page-client.ts')

async function ask(host: NetworkHost, request: PageRequest): Promise<PageReply> {
  return JSON.parse(await host.run(process.execPath, program, JSON.stringify(request))) as PageReply
}

const textOf = (reply: PageReply) => ('text' in reply ? reply.text : reply.failure)
const title = (reply: PageReply) => /<h1>(.*?)<\/h1>/.exec(textOf(reply))?.[1]

describe('the page of an interface on a node', () => {
  const hosts = new AsyncDisposableStack()
  const name = uniqueName('wgp')
  let service: HostedService
  let berlin: JoinedNode
  let [phone, laptop, stranger]: NetworkHost[] = []

  before(async () => {
    if (obstacle !== null) return
    const { path: folder } = hosts.use(await temporaryDirectory('nodes-page'))
    const network = hosts.use(await createNetwork('lan'))
    let last = 20
    const addHost = async (label: string, address = `192.0.2.${(last += 1)}`) => {
      const host = hosts.use(await createHost(label))
      await network.attach(host, `${address}/24`)
      return host
    }
    service = await createHostedService(withOwnSockets(await addHost('control', control)), folder, {
      PUBLIC_ENDPOINT: control,
      VPN_NODES_LISTEN: `${control}:8110`,
      DNS_UPSTREAMS: `udp://${control}`,
    })
    await service.start()
    berlin = await joinNode(service, await addHost('berlin', nodeAddress), {
      label: 'Berlin',
      endpoint: nodeAddress,
      folder,
    })
    const on = { node_id: berlin.id, name, address: `${gateway}/24`, listen_port: 51_825 }
    await service.done('POST', '/api/interfaces', on)
    const connect = async (label: string, ip: string) => {
      const host = await addHost(label)
      hosts.use(await giveResolvers(host, 'nameserver 192.0.2.53'))
      const { id } = await service.done('POST', '/api/peers', { name: label, interface: name, ip })
      const text: string = await service.done('GET', `/api/peers/${id}/config`)
      const client = await createWgQuickClient(host, {
        text: text.replace(/^AllowedIPs = .*$/m, 'AllowedIPs = 10.85.0.0/24'),
        folder,
      })
      await client.up()
      await eventually(
        () => host.canReach(gateway),
        (isReached) => isReached,
        { what: `${label} is connected`, seconds: 60 },
      )
      return host
    }
    phone = await connect('phone', '10.85.0.2')
    laptop = await connect('laptop', '10.85.0.3')
    stranger = await addHost('stranger')
    await stranger.run('ip', 'route', 'add', '10.85.0.0/24', 'via', nodeAddress)
  })
  after(() => hosts.disposeAsync())

  const set = (body: object) => service.done('PUT', '/api/settings', body)
  const visit = (host: NetworkHost | undefined, request: Partial<PageRequest> = {}) => {
    assert.ok(host !== undefined)
    return ask(host, { url: page, ...request })
  }
  const listens = () =>
    eventually(
      () => service.done('GET', '/api/tunnel-page'),
      ({ places }) => places.length === 1 && places[0].error === null,
      { what: 'the page listens on the node', seconds: 60, everyMs: 200 },
    )
  const isUnanswered = (reply: PageReply) => 'failure' in reply

  test('is there once it is switched on, and shows every device itself, by address and by name', { skip }, async () => {
    assert.ok(isUnanswered(await visit(phone)))
    const ping = startPing(phone as NetworkHost, gateway)
    await set({ tunnel_page_enabled: true })
    await listens()
    assert.deepEqual([title(await visit(phone)), title(await visit(laptop))], ['phone', 'laptop'])
    await eventually(
      () => visit(phone, { url: 'http://my.vpn/' }),
      (reply) => title(reply) === 'phone',
      { what: 'the page under its name', seconds: 60, everyMs: 500 },
    )
    assert.deepEqual((await ping.stop()).lost, [])
  })

  test('takes requests, whose answers the device sees', { skip }, async () => {
    await service.done('POST', '/api/dns/rules', { action: 'block', domain: 'shop.example' })
    const headers = { origin: `http://${gateway}`, 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'domain=shop.example&note=please'
    const asked = await visit(phone, { url: `${page}ask`, method: 'POST', headers, body })
    assert.ok('status' in asked && asked.status === 303, JSON.stringify(asked))
    const [request] = await service.done('GET', '/api/dns/requests')
    assert.deepEqual([request.peer, request.domain, request.note], ['phone', 'shop.example', 'please'])
    await service.done('POST', `/api/dns/requests/${request.id}/answer`, { allow_for: 'peer' })
    assert.match(textOf(await visit(phone)), /shop\.example/)
    assert.doesNotMatch(textOf(await visit(laptop)), /shop\.example/)
    const large = await visit(phone, { url: `${page}ask`, method: 'POST', headers, body: 'x'.repeat(10_000) })
    assert.ok('status' in large && large.status === 413, JSON.stringify(large))
  })

  test('is reached by nobody from outside, and no device takes the address of another', { skip }, async () => {
    assert.ok(stranger !== undefined && laptop !== undefined)
    const { host } = berlin
    await host.run('sysctl', '-qw', 'net.ipv4.conf.all.rp_filter=0')
    assert.ok(await stranger.canReach(gateway), 'it does reach the address')
    assert.ok(isUnanswered(await visit(stranger)))
    await stranger.run('ip', 'address', 'add', '10.85.0.2/32', 'dev', 'lo')
    assert.ok(isUnanswered(await visit(stranger, { from: '10.85.0.2' })))
    await laptop.run('ip', 'address', 'add', '10.85.0.2/32', 'dev', 'lo')
    assert.ok(isUnanswered(await visit(laptop, { from: '10.85.0.2' })))
    await laptop.run('ip', 'address', 'delete', '10.85.0.2/32', 'dev', 'lo')
    assert.ok(isUnanswered(await visit(host)))
    assert.equal(title(await visit(laptop)), 'laptop')
  })

  test(
    'says that its server is away while the service is, and is there again with it and after a start',
    { skip },
    async () => {
      await service.stop()
      const away = await visit(phone)
      assert.ok('status' in away && away.status === 503, JSON.stringify(away))
      assert.match(away.text, /its server is away\. Your connection and your filter go on/)
      await berlin.program.end('SIGKILL')
      await berlin.program.start()
      await eventually(
        () => visit(phone),
        (reply) => 'status' in reply && reply.status === 503,
        { what: 'the page of a node that was started meanwhile', seconds: 60, everyMs: 500 },
      )
      await service.start()
      await eventually(
        () => visit(phone),
        (reply) => title(reply) === 'phone',
        { what: 'the page with the service', seconds: 60, everyMs: 500 },
      )
    },
  )

  test('a port that another program has is named, and the page comes when it is free', { skip }, async () => {
    const script = `require('node:net').createServer().listen(8087, '0.0.0.0', () => console.log('on'))`
    const other = berlin.host.start(process.execPath, '-e', script)
    await new Promise((resolve) => void other.stdout.once('data', resolve))
    await set({ tunnel_page_port: 8087 })
    await eventually(
      () => service.done('GET', '/api/tunnel-page'),
      ({ places }) => /node Berlin: another program uses the port/.test(places[0]?.error),
      { what: 'the error of the node', seconds: 60, everyMs: 200 },
    )
    assert.ok(isUnanswered(await visit(phone)), 'not at the port before')
    other.kill()
    await listens()
    assert.equal(title(await visit(phone, { url: `http://${gateway}:8087/` })), 'phone')
    await set({ tunnel_page_enabled: false })
    await eventually(() => visit(phone, { url: `http://${gateway}:8087/` }), isUnanswered, {
      what: 'the page is gone',
      seconds: 60,
      everyMs: 500,
    })
  })
})
