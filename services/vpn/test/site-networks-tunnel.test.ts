import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createHost, joinHosts, tunnelsObstacle, type NetworkHost } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import {
  createTunnelWorld,
  endpoint,
  internetAddress,
  transfer,
  type Device,
  type TunnelWorld,
} from './tunnel-world.ts'
import { createWgQuickClient } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false

/** A network behind a peer: the peer forwards, and a host lives there. */
interface Site {
  readonly gateway: Device
  readonly host: NetworkHost
  readonly networks: readonly [string, string]
  readonly addresses: readonly [string, string]
}

describe('networks behind peers', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let name: string
  let [office, home]: Site[] = []
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' }))
    name = await world.addInterface({ address: '10.75.0.1/24', address6: 'fd75::1/64', dns: '' })
    const second = await createSite('home', 21)
    const first = await createSite('office', 20)
    // The configuration of the first one was made before the second one had networks.
    home = await renewed(second)
    office = first
  })
  after(() => hosts.disposeAsync())

  async function createSite(label: string, number: number): Promise<Site> {
    const networks = [`10.${number}.0.0/24`, `fd${number}::/64`] as const
    const addresses = [`10.${number}.0.5`, `fd${number}::5`] as const
    const gateway = await world.connect(label, { interface: name, routing_mode: 'split_tunnel', networks })
    const host = hosts.use(await createHost(`${label}h`))
    await joinHosts(
      [gateway.host, [`10.${number}.0.1/24`, `fd${number}::1/64`]],
      [host, [`${addresses[0]}/24`, `${addresses[1]}/64`]],
    )
    await gateway.host.run('sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1')
    await host.run('ip', 'route', 'add', 'default', 'via', `10.${number}.0.1`)
    await host.run('ip', '-6', 'route', 'add', 'default', 'via', `fd${number}::1`)
    return { gateway, host, networks, addresses }
  }

  /** The site with the configuration that it would be given now. */
  async function renewed(site: Site): Promise<Site> {
    const { gateway } = site
    const text: string = await world.service.done('GET', `/api/peers/${gateway.id}/config`)
    const client = await createWgQuickClient(gateway.host, { text, folder: world.folder })
    await gateway.client.down()
    await client.up()
    return { ...site, gateway: { ...gateway, client } }
  }

  const change = (site: Site, body: object) => world.service.done('PUT', `/api/peers/${site.gateway.id}`, body)
  const routes = async () =>
    `${await world.server.run('ip', '-4', 'route')}\n${await world.server.run('ip', '-6', 'route')}`
  const reaches = (from: NetworkHost, address: string, wanted = true) =>
    eventually(
      () => from.canReach(address),
      (reached) => reached === wanted,
      { what: `${address} ${wanted ? 'reached' : 'out of reach'}` },
    )
  const seenFrom = async (from: NetworkHost, to: NetworkHost, address: string) => {
    const port = await world.echo(to, address)
    const result = await transfer(from, { address, port, bytes: 300_000 })
    assert.ok(result.isIntact)
    return result.seenFrom
  }

  test('two sites, the gateway and a peer reach each other with their own addresses', { skip }, async () => {
    const [one, other] = [office as Site, home as Site]
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      for (const [family, address] of to.addresses.entries()) {
        await reaches(from.host, address)
        assert.equal(await seenFrom(from.host, to.host, address), from.addresses[family], 'nothing is masqueraded')
        await reaches(world.server, address)
      }
      await reaches(from.host, '10.75.0.1')
      await reaches(from.host, to.gateway.ip)
    }
    const phone = await world.connect('phone', { interface: name, routing_mode: 'split_tunnel' })
    for (const [family, address] of one.addresses.entries())
      assert.equal(await seenFrom(phone.host, one.host, address), [phone.ip, phone.ipv6][family])
    await phone.client.down()
  })

  test(
    'hosts of a site reach the internet through a full tunnel with the address of the server',
    { skip },
    async () => {
      const site = home as Site
      await change(site, { routing_mode: 'full_tunnel' })
      home = await renewed(site)
      assert.equal(await seenFrom(home.host, world.internet, internetAddress), endpoint)
      await change(home, { routing_mode: 'split_tunnel' })
      home = await renewed(home)
      await reaches(home.host, (office as Site).addresses[0])
    },
  )

  test('no packet between sites is lost during 50 changes of other peers and networks', { skip }, async () => {
    const [one, other] = [office as Site, home as Site]
    const pings = [startPing(one.host, other.addresses[0]), startPing(other.host, one.addresses[1])]
    const { service } = world
    for (let round = 0; round < 10; round += 1) {
      const networks = [`10.100.${round}.0/24`, `fd99:${round}::/32`]
      const { id } = await service.done('POST', '/api/peers', { name: `other ${round}`, interface: name, networks })
      await service.done('PUT', `/api/peers/${id}`, { networks: [`10.101.${round}.0/24`] })
      await service.done('PUT', `/api/peers/${id}`, { enabled: false })
      await service.done('PUT', `/api/peers/${id}`, { enabled: true, networks })
      if (round % 2 === 0) await service.done('DELETE', `/api/peers/${id}`)
      else await service.done('PUT', `/api/peers/${id}`, { expires_at: '2020-01-01T00:00:00Z' })
    }
    const reports = await Promise.all(pings.map((ping) => ping.stop()))
    console.log(`50 changes, ${reports.map(({ sent, slowest }) => `${sent} echoes, slowest ${slowest} ms`).join('; ')}`)
    for (const { lost, sent } of reports) {
      assert.deepEqual(lost, [])
      assert.ok(sent >= 20)
    }
    assert.doesNotMatch(await routes(), /10\.10[01]\.|fd99/, 'no route is left of peers that are gone or expired')
  })

  test('what a site moves counts for the limits and the quota of its peer', { skip }, async () => {
    const [one, other] = [office as Site, home as Site]
    const port = await world.echo(one.host, one.addresses[0])
    const secondsFor = async (bytes: number) => {
      const began = performance.now()
      assert.ok((await transfer(other.host, { address: one.addresses[0], port, bytes })).isIntact)
      return (performance.now() - began) / 1000
    }
    await change(one, { limit_up: 2 })
    // 2 Mbit/s are 250 kB a second, of which one second's worth was saved up.
    assert.ok((await secondsFor(750_000)) > 1.5)
    await change(one, { limit_up: null })
    const path = `/api/peers/${one.gateway.id}/quota`
    await world.service.done('PUT', path, { bytes: 1_000_000, at_limit: 'stop' })
    await secondsFor(700_000)
    for (const address of one.addresses) await reaches(other.host, address, false)
    await world.service.done('DELETE', path)
    for (const address of one.addresses) await reaches(other.host, address)
  })

  test('a site is out of reach while its peer is disabled or its networks are taken away', { skip }, async () => {
    const [one, other] = [office as Site, home as Site]
    assert.match(await routes(), /10\.20\.0\.0\/24.*[^]*fd20::\/64/)
    await change(one, { networks: [] })
    assert.doesNotMatch(await routes(), /10\.20\.|fd20/)
    for (const address of one.addresses) await reaches(other.host, address, false)
    await reaches(other.host, one.gateway.ip)
    await change(one, { networks: one.networks })
    for (const address of one.addresses) await reaches(other.host, address)
    await change(one, { enabled: false })
    assert.doesNotMatch(await routes(), /10\.20\.|fd20/)
    await reaches(other.host, one.addresses[0], false)
    await change(one, { enabled: true })
    await one.gateway.client.down()
    await one.gateway.client.up()
    for (const address of one.addresses) await reaches(other.host, address)
  })

  test(
    'routes stay over a restart, come back when something removes them, and go with the tunnels',
    { skip },
    async () => {
      const [one, other] = [office as Site, home as Site]
      const ping = startPing(other.host, one.addresses[0])
      assert.equal((await world.service.stop()).code, 0)
      await world.service.start()
      assert.deepEqual((await ping.stop()).lost, [])
      await world.server.run('ip', 'route', 'delete', one.networks[0], 'dev', name)
      await world.server.run('ip', 'route', 'add', '10.150.0.0/24', 'dev', name)
      await eventually(routes, (text) => text.includes(one.networks[0]))
      assert.match(world.service.output(), new RegExp(`route ${one.networks[0]} missing`))
      await reaches(other.host, one.addresses[0])
      assert.match(await routes(), /10\.150\.0\.0/, 'routes of others are left alone')
      await world.service.done('DELETE', `/api/interfaces/${name}`)
      assert.doesNotMatch(await routes(), /10\.2[01]\./)
    },
  )
})
