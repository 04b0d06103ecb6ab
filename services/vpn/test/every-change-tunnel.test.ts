import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adGuardHome } from './foreign-filters.ts'
import { foreignFile, foreignPeer, newKeys } from './foreign-servers.ts'
import { tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld } from './tunnel-world.ts'

const skip = (await tunnelsObstacle()) ?? false

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
type Send = (method: string, path: string, body?: unknown) => Promise<any>

/** What the changes of a round are made to. */
interface Round {
  readonly number: number
  /** Interface of the devices that ping. */
  readonly name: string
  /** Id of the device that pings, and of the one that it reaches through the gateway. */
  readonly device: string
  readonly other: string
}

/** Changes of every kind that a device which stays must not feel, to others and to itself. Each goes through the API. */
const kinds: Readonly<Record<string, (send: Send, round: Round) => Promise<unknown>>> = {
  async peers(send, { number, name }) {
    const { id } = await send('POST', '/api/peers', { name: `new ${number}`, interface: name })
    await send('PUT', `/api/peers/${id}`, { name: `renamed ${number}`, tags: ['one', 'two'], limit_down: 5 })
    await send('PUT', `/api/peers/${id}`, { networks: [`10.200.${number}.0/24`] })
    await send('PUT', `/api/peers/${id}`, { networks: [], client_isolation: true, expires_at: '2020-01-01T00:00:00Z' })
    await send('POST', `/api/peers/${id}/setup-links`, {})
    await send('DELETE', `/api/peers/${id}`)
  },
  async 'many peers at once'(send, { number, name }) {
    const csv = `name,networks\nfirst ${number},10.201.${number}.0/24\nsecond ${number},\n`
    const { peers } = await send('POST', '/api/peers/import', { csv, interface: name, setup_links_hours: 1 })
    const ids = peers.map(({ id }: { id: string }) => id)
    for (const change of [{ action: 'disable' }, { action: 'enable' }, { action: 'set_limit', limit_up: 3 }])
      await send('POST', '/api/peers/bulk', { ...change, ids })
    await send('POST', '/api/peers/bulk', { action: 'delete', ids })
  },
  async 'the device itself'(send, { number, device }) {
    await send('PUT', `/api/peers/${device}`, { name: `steady ${number}`, tags: [`round-${number}`] })
    await send('PUT', `/api/peers/${device}`, { limit_down: 100 + number, limit_up: 50 })
    await send('PUT', `/api/peers/${device}`, { expires_at: '2099-01-01T00:00:00Z' })
    await send('PUT', `/api/peers/${device}/quota`, { bytes: 10_000_000_000, at_limit: 'stop' })
    await send('POST', `/api/peers/${device}/quota/reset`)
    await send('PUT', `/api/peers/${device}`, { networks: [`10.202.${number}.0/24`] })
    await send('PUT', `/api/peers/${device}`, { networks: [], limit_down: null, limit_up: null, expires_at: null })
    await send('DELETE', `/api/peers/${device}/quota`)
  },
  async 'keys of the device and of another'(send, { device, other }) {
    for (const id of [device, other]) {
      await send('POST', `/api/peers/${id}/rotation`, {})
      await send('DELETE', `/api/peers/${id}/rotation`)
    }
  },
  async access(send, { number, name, device, other }) {
    const { id: group } = await send('POST', '/api/access/groups', { name: `Group ${number}`, peer_ids: [other] })
    const from = { kind: 'peer', id: device }
    const { id: allow } = await send('POST', '/api/access/rules', {
      from,
      to: { kind: 'group', id: group },
      action: 'allow',
    })
    const everybody = { kind: 'everybody' }
    const network = { kind: 'network', network: `10.203.${number}.0/24` }
    const { id: deny } = await send('POST', '/api/access/rules', { from: everybody, to: network, action: 'deny' })
    await send('PUT', `/api/access/rules/${deny}`, { position: 1 })
    await send('PUT', `/api/access/defaults/${name}`, { action: 'deny' })
    await send('PUT', `/api/access/groups/${group}`, { tags: ['one'] })
    await send('PUT', `/api/access/defaults/${name}`, { action: 'allow' })
    for (const id of [deny, allow]) await send('DELETE', `/api/access/rules/${id}`)
    await send('DELETE', `/api/access/groups/${group}`)
  },
  async profiles(send, { number, name, device }) {
    const schedule = {
      time_zone: 'Europe/Berlin',
      times: [{ days: ['mon'], from: '20:00', to: '06:00' }],
      otherwise: null,
    }
    const { id } = await send('POST', '/api/dns/profiles', { name: `Profile ${number}`, schedule, peer_ids: [device] })
    await send('PUT', `/api/dns/profiles/${id}`, { services: ['tiktok'], interfaces: [name], safe_search: true })
    await send('POST', `/api/dns/profiles/${id}/pause`, { seconds: 60 })
    await send('POST', `/api/dns/profiles/${id}/resume`)
    await send('DELETE', `/api/dns/profiles/${id}`)
  },
  async names(send, { number }) {
    const rule = await send('POST', '/api/dns/rules', { action: 'block', domain: `ads${number}.example` })
    const record = await send('POST', '/api/dns/records', {
      name: `nas${number}.example`,
      type: 'A',
      value: '192.168.1.5',
    })
    const zone = await send('POST', '/api/dns/zones', { zone: `corp${number}.example`, servers: ['udp://192.0.2.53'] })
    await send('PUT', '/api/dns/settings', { dns64_prefix: number % 2 === 0 ? '64:ff9b::/96' : null })
    await send('DELETE', `/api/dns/rules/${rule.id}`)
    await send('DELETE', `/api/dns/records/${record.id}`)
    await send('DELETE', `/api/dns/zones/${zone.id}`)
  },
  async interfaces(send, { number, name }) {
    await send('PUT', `/api/interfaces/${name}`, { nat: number % 2 === 0 })
    const second = { name: `wgx${number}`, address: `10.9${number}.0.1/24`, listen_port: 51_950 + number }
    await send('POST', '/api/interfaces', second)
    await send('POST', `/api/interfaces/${second.name}/stop`)
    await send('POST', `/api/interfaces/${second.name}/start`)
    await send('DELETE', `/api/interfaces/${second.name}`)
  },
  async settings(send, { number }) {
    await send('PUT', '/api/settings', { tunnel_page_enabled: number % 2 === 0, expiry_warning_days: number })
  },
  async imports(send, { number }) {
    const [server, phone] = [newKeys(), foreignPeer('phone', '10.66.0.2')]
    const text = `[Interface]\nPrivateKey = ${server.privateKey}\nAddress = 10.66.0.1/24\nListenPort = 51940\n[Peer]\nPublicKey = ${phone.publicKey}\nAllowedIPs = ${phone.ip}/32\n`
    await send('POST', '/api/server-import', { files: [foreignFile(`wgy${number}.conf`, text)] })
    await send('DELETE', `/api/interfaces/wgy${number}`)
    await send('POST', '/api/dns/import', { files: [adGuardHome()], parts: ['rules', 'records', 'zones'] })
  },
  async 'a file of the wanted state'(send, { number }) {
    const state = `format: hearth-vpn-1\nsettings: { expiry_warning_days: ${number + 20} }\naccess_groups: { File: { tags: [t${number}] } }\n`
    await send('POST', '/api/apply', { text: state })
  },
}

test(
  'a device loses no packet to the gateway and to another device over 200 changes of every kind',
  { skip },
  async () => {
    await using world = await createTunnelWorld({ DRIFT_CHECK_SECONDS: '1' })
    const { service } = world
    const name = await world.addInterface({ address: '10.73.0.1/20', dns: '' })
    const settings = { interface: name, routing_mode: 'split_tunnel' }
    const device = await world.connect('steady', settings)
    const other = await world.connect('other', settings)
    assert.ok(await device.host.canReach(other.ip))
    const pings = ['10.73.0.1', other.ip].map((address) => startPing(device.host, address))
    const changes: string[] = []
    let number = 0
    const send: Send = async (method, path, body) => {
      changes.push(path)
      return service.done(method, path, body)
    }
    for (; changes.length < 200; number += 1)
      for (const [kind, change] of Object.entries(kinds))
        await change(send, { number, name, device: device.id, other: other.id }).catch((error: unknown) => {
          throw new Error(`${kind}, round ${number}`, { cause: error })
        })
    for (const ping of pings) {
      const { lost, sent, slowest } = await ping.stop()
      console.log(`${changes.length} changes in ${number} rounds: ${sent} echoes, slowest ${slowest} ms`)
      assert.deepEqual(lost, [], `of ${sent}`)
      assert.ok(sent >= 100, 'the ping ran beside it')
    }
  },
)
