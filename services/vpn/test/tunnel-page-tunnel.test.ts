import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createHost, createNetwork, joinHosts, tunnelsObstacle, type NetworkHost } from './network-hosts.ts'
import type { PageReply, PageRequest } from './page-client.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, type Device, type TunnelWorld } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false

const program = join(import.meta.dirname, 'page-client.ts')

async function ask(host: NetworkHost, request: PageRequest): Promise<PageReply> {
  return JSON.parse(await host.run(process.execPath, program, JSON.stringify(request))) as PageReply
}

const [gateway, gateway6, otherGateway] = ['10.76.0.1', 'fd76::1', '10.77.0.1']
const page = `http://${gateway}/`

describe('the page inside the tunnel', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let [phone, tablet, office, guest]: Device[] = []
  const names = new Map<Device | undefined, string>()
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' }))
    const home = await world.addInterface({ address: `${gateway}/24`, address6: `${gateway6}/64`, dns: '' })
    const guests = await world.addInterface({ address: `${otherGateway}/24`, dns: '' })
    phone = await world.connect('phone', { interface: home, routing_mode: 'full_tunnel' })
    tablet = await world.connect('tablet', {
      interface: home,
      routing_mode: 'full_tunnel',
      client_isolation: true,
    })
    office = await world.connect('office', {
      interface: home,
      routing_mode: 'full_tunnel',
      networks: ['10.90.0.0/24'],
    })
    guest = await world.connect('guest', { interface: guests, routing_mode: 'full_tunnel' })
    for (const device of [phone, tablet, guest]) names.set(device, (await world.peer(device)).name)
    for (const device of [phone, tablet, office]) assert.ok(await device.host.canReach(gateway))
    assert.ok(await guest.host.canReach(otherGateway))
  })
  after(() => hosts.disposeAsync())

  const set = (body: object) => world.service.done('PUT', '/api/settings', body)
  const places = () =>
    eventually(
      () => world.service.done('GET', '/api/tunnel-page'),
      (status) => status.places.length > 0 && status.places.every((place: { error: unknown }) => place.error === null),
      { what: 'a page that listens everywhere' },
    )
  /** The page as a device sees it. */
  const seen = async (device: Device | undefined, request: Partial<PageRequest> = {}): Promise<string> => {
    assert.ok(device)
    const reply = await ask(device.host, { url: page, ...request })
    assert.ok('status' in reply, JSON.stringify(reply))
    assert.equal(reply.status, 200, reply.text)
    return reply.text
  }
  const title = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
  const unanswered = async (host: NetworkHost, request: PageRequest) => {
    const reply = await ask(host, request)
    assert.ok('failure' in reply, `${JSON.stringify(request)} got ${JSON.stringify(reply)}`)
  }

  test(
    'nobody listens before it is switched on; then every device sees itself, by address and by name',
    { skip },
    async () => {
      await unanswered((phone as Device).host, { url: page })
      await set({ tunnel_page_enabled: true })
      const status = await places()
      assert.deepEqual(status.places[0].urls.slice(0, 1), ['http://my.vpn/'])
      const text = await seen(phone)
      assert.equal(title(text), names.get(phone))
      assert.ok(text.includes((phone as Device).ip))
      for (const device of [tablet, guest]) assert.ok(!text.includes(names.get(device) ?? '?'))
      assert.equal(title(await seen(phone, { url: `http://[${gateway6}]/` })), names.get(phone))
      assert.equal(title(await seen(phone, { url: 'http://my.vpn/' })), names.get(phone))
      assert.equal(title(await seen(tablet)), names.get(tablet), 'an isolated device too')
      assert.equal(title(await seen(guest, { url: `http://${otherGateway}/` })), names.get(guest))
      assert.equal(title(await seen(guest, { url: 'http://my.vpn/' })), names.get(guest), 'its own interface’s page')
    },
  )

  test('no header makes one device another', { skip }, async () => {
    const { ip } = phone as Device
    const headers = { 'x-forwarded-for': ip, forwarded: `for=${ip}`, 'x-real-ip': ip, 'cf-connecting-ip': ip }
    assert.equal(title(await seen(tablet, { headers })), names.get(tablet))
  })

  test('nothing from outside reaches it, whatever address it comes from', { skip }, async () => {
    const { server } = world
    await using lan = await createNetwork('out')
    await using stranger = await createHost('stranger')
    const link = await lan.attach(server, '203.0.113.1/24')
    await lan.attach(stranger, '203.0.113.2/24')
    await stranger.run('ip', 'route', 'add', 'default', 'via', '203.0.113.1')
    // The weakest host: it checks no way back.
    await server.run('sysctl', '-qw', 'net.ipv4.conf.all.rp_filter=0', `net.ipv4.conf.${link}.rp_filter=0`)
    assert.ok(await stranger.canReach(gateway), 'it does reach the address')
    await unanswered(stranger, { url: page })
    const { ip } = phone as Device
    await stranger.run('ip', 'address', 'add', `${ip}/32`, 'dev', 'lo')
    // The answer would go to the stranger, as on a network where it pretends to be the tunnel.
    await server.run('ip', 'route', 'add', `${ip}/32`, 'via', '203.0.113.2')
    assert.ok(
      !(await stranger.start('ping', '-c', '1', '-W', '1', '-I', ip, gateway)).failed,
      'the forged address works',
    )
    await unanswered(stranger, { url: page, from: ip })
    await server.run('ip', 'route', 'delete', `${ip}/32`, 'via', '203.0.113.2')
    assert.equal(title(await seen(phone)), names.get(phone))
    await unanswered(server, { url: page })
  })

  test('a peer cannot take the address of another, and reaches no page of another interface', { skip }, async () => {
    const { ip } = phone as Device
    const { host } = tablet as Device
    await host.run('ip', 'address', 'add', `${ip}/32`, 'dev', 'lo')
    await unanswered(host, { url: page, from: ip })
    await host.run('ip', 'address', 'delete', `${ip}/32`, 'dev', 'lo')
    await unanswered((guest as Device).host, { url: page })
    await unanswered((phone as Device).host, { url: `http://${otherGateway}/` })
  })

  test('a host of a network behind a peer is told that it is not known', { skip }, async () => {
    const { host } = office as Device
    await using behind = await createHost('behind')
    await joinHosts([host, ['10.90.0.1/24']], [behind, ['10.90.0.5/24']])
    await host.run('sysctl', '-qw', 'net.ipv4.ip_forward=1')
    await behind.run('ip', 'route', 'add', 'default', 'via', '10.90.0.1')
    const reply = await ask(behind, { url: page })
    assert.ok('status' in reply, JSON.stringify(reply))
    assert.equal(reply.status, 403)
    assert.match(reply.text, /This device is not known: 10\.90\.0\.5/)
  })

  test('a page of another name or origin gets and changes nothing', { skip }, async () => {
    const { host } = phone as Device
    for (const name of ['evil.example', 'my.vpn.evil.example', otherGateway, `${gateway}:8080`, 'localhost']) {
      const reply = await ask(host, { url: page, headers: { host: name } })
      assert.ok('status' in reply && reply.status === 421, name)
    }
    await set({ tunnel_page_pause_minutes: 60 })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (headers: Record<string, string>) =>
      ask(host, { url: `${page}pause`, method: 'POST', headers: { ...form, ...headers }, body: 'minutes=5' })
    const wrong: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'http://evil.example' },
      { origin: 'http://my.vpn' },
      { origin: `http://${gateway}`, 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example', host: 'evil.example' },
    ]
    for (const headers of wrong) {
      const reply = await post(headers)
      assert.ok('status' in reply && [403, 421].includes(reply.status), JSON.stringify(headers))
    }
    assert.match(await seen(phone), /The filter is on/)
    const paused = await post({ origin: `http://${gateway}` })
    assert.ok('status' in paused && paused.status === 303, JSON.stringify(paused))
    assert.match(await seen(phone), /The filter of this device is paused/)
    assert.match(await seen(tablet), /The filter is on/, 'the pause is of one device')
  })

  test(
    'no packet is lost while it is switched on and off, and a port that is taken is said and tried again',
    { skip },
    async () => {
      const { host } = phone as Device
      const ping = startPing(host, gateway)
      for (let round = 0; round < 10; round += 1) {
        await set({ tunnel_page_enabled: false })
        await eventually(
          () => ask(host, { url: page }),
          (reply) => 'failure' in reply,
          { what: 'a page that is gone' },
        )
        await set({ tunnel_page_enabled: true })
        await places()
        assert.equal(title(await seen(phone)), names.get(phone))
      }
      const report = await ping.stop()
      console.log(`20 switches, ${report.sent} echoes, slowest ${report.slowest} ms`)
      assert.deepEqual(report.lost, [])
      const script = `require('node:net').createServer().listen(8080, '0.0.0.0', () => console.log('on'))`
      const other = world.server.start(process.execPath, '-e', script)
      await new Promise((resolve) => void other.stdout.once('data', resolve))
      await set({ tunnel_page_port: 8080 })
      await eventually(
        () => world.service.done('GET', '/api/dns/status'),
        ({ health }) =>
          health.some(
            ({ code, detail }: { code: string; detail: string }) =>
              code === 'tunnel_page' && /another program uses the port/.test(detail),
          ),
        { what: 'a notice of the taken port' },
      )
      other.kill()
      await places()
      assert.equal(title(await seen(phone, { url: `http://${gateway}:8080/` })), names.get(phone))
      assert.equal(title(await seen(phone, { url: 'http://my.vpn:8080/' })), names.get(phone))
      await set({ tunnel_page_port: 80 })
      await places()
    },
  )

  test('it is there again after a restart, and nothing drifts', { skip }, async () => {
    assert.equal((await world.service.stop()).code, 0)
    await unanswered((phone as Device).host, { url: page })
    await world.service.start()
    await places()
    assert.equal(title(await seen(phone)), names.get(phone))
    assert.doesNotMatch(world.service.output(), /firewall rules outdated/)
  })
})
