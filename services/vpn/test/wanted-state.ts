import assert from 'node:assert/strict'
import type { TestService } from './in-process.ts'

type Send = ReturnType<typeof doneOn>

/** Calls the API and returns the data of its answer; fails when it refuses. */
export const doneOn =
  (service: Pick<TestService, 'call'>) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const reply = await service.call(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    return reply.body.data
  }

/** Number of peers of a rich state. */
export const richPeers = 30

/** Makes two interfaces, thirty peers and something of every other kind, by the API. */
export async function furnishRichly(done: ReturnType<typeof doneOn>): Promise<void> {
  await done('PUT', '/api/settings', { default_mtu: 1380, public_endpoint: 'vpn.example.org', expiry_warning_days: 3 })
  const v6 = { address6: 'fd00:8::1/64' }
  await done('POST', '/api/interfaces', { name: 'home', address: '10.8.0.1/24', ...v6, listen_port: 51_901 })
  const work = { name: 'work', address: '10.9.0.1/24', listen_port: 51_902, dns: '9.9.9.9', nat: false, enabled: false }
  await done('POST', '/api/interfaces', work)
  const lists = await makeLists(done)
  const peers = await makePeers(done, lists)
  await makeAccess(done, peers)
  await makeDns(done)
}

async function makeLists(done: Send): Promise<string[]> {
  const made: { id: string }[] = []
  for (const [name, url] of [
    ['Ads: all', 'https://lists.example.org/ads.txt'],
    ['Trackers', 'https://lists.example.org/trackers.txt?token=1'],
  ])
    made.push(await done('POST', '/api/dns/blocklists', { name, url, format: 'hosts', enabled: false }))
  return made.map(({ id }) => id)
}

async function makePeers(done: Send, lists: readonly string[]): Promise<{ id: string; name: string }[]> {
  const peers: { id: string; name: string }[] = []
  for (let index = 0; index < richPeers; index += 1) peers.push(await done('POST', '/api/peers', peerOf(index, lists)))
  const quota = { bytes: 5_000_000_000, counts: 'down', period: 'rolling', at_limit: 'slow', slow_to: 0.5 }
  await done('PUT', `/api/peers/${peers[3]?.id}/quota`, quota)
  await done('PUT', `/api/peers/${peers[4]?.id}/quota`, { bytes: 1_000_000, start_day: 31 })
  return peers
}

/** Names that are hard to write down, and every member of a peer in turn. */
const names = ['on', '007', '__proto__', 'Größe: 2', '- "x" #', 'null', 'línea', '2026-01-01', "it's", 'a: b']

function peerOf(index: number, lists: readonly string[]): object {
  const more = [
    {},
    { tags: ['Kids', 'büro'], expires_at: '2031-05-06T07:08:09Z' },
    { routing_mode: 'custom', allowed_ips: ['10.0.0.0/8', '192.168.7.9'], persistent_keepalive: 0 },
    { networks: [`192.168.${100 + index}.0/24`] },
    { client_isolation: true, limit_down: 12.5, limit_up: 0.1 },
    { enabled: false, use_adblocker: false, dns_logging_enabled: false },
    { blocklist_ids: lists.slice(0, 1), use_preshared_key: false },
    { public_key: Buffer.alloc(32, index + 1).toString('base64'), blocklist_ids: [] },
  ][index % 8]
  return { name: names[index] ?? `peer ${index}`, interface: index % 3 === 0 ? 'work' : 'home', ...more }
}

async function makeAccess(done: Send, peers: readonly { id: string }[]): Promise<void> {
  const ids = peers.slice(5, 8).map(({ id }) => id)
  const group = { name: 'Printers', color: 'pink', tags: ['kids'], peer_ids: ids }
  const { id } = await done('POST', '/api/access/groups', group)
  await done('POST', '/api/access/groups', { name: 'Nobody' })
  const anybody = { kind: 'everybody' }
  const rules = [
    { from: { kind: 'peer', id: ids[0] }, to: { kind: 'group', id }, protocol: 'tcp', ports: ['631', '9100-9102'] },
    { from: { kind: 'group', id }, to: { kind: 'network', network: '192.168.1.0/24' }, note: 'the # printer net' },
    { from: anybody, to: { kind: 'internet' }, enabled: false },
    { from: anybody, to: { kind: 'internet' }, protocol: 'icmp' },
    { from: anybody, to: { kind: 'internet' } },
  ]
  for (const [index, rule] of rules.entries())
    await done('POST', '/api/access/rules', { ...rule, action: index % 2 === 0 ? 'allow' : 'deny' })
  await done('PUT', '/api/access/defaults/work', { action: 'deny' })
}

async function makeDns(done: Send): Promise<void> {
  await done('PUT', '/api/dns/settings', { block_mode: 'nxdomain', upstreams: ['udp://127.0.0.1:9'], dnssec: true })
  await done('POST', '/api/dns/rules', { action: 'block', domain: '*.Tracker.example' })
  await done('POST', '/api/dns/rules', { action: 'allow', domain: 'tracker.example', client: '007', enabled: false })
  const text = [
    '192.168.1.5 nas.home.example nas',
    'nas.home.example 60 A 192.168.1.6',
    'mail.home.example MX 10 nas.home.example',
    '*.lab.home.example TXT "v=1 # x; y"',
    'www.home.example CNAME nas.home.example',
  ].join('\n')
  await done('POST', '/api/dns/records/import', { text })
  await done('POST', '/api/dns/records', { name: 'tv.home.example', type: 'A', value: '192.168.1.9', reverse: false })
  await done('POST', '/api/dns/zones', { zone: 'corp.example', servers: ['udp://10.0.0.53', 'udp://10.0.1.53'] })
  await done('POST', '/api/dns/zones', { zone: '10.20.0.0/16', servers: ['udp://10.0.0.53'] })
  const { id } = await done('POST', '/api/dns/profiles', { name: 'Day', services: ['youtube'], interfaces: ['work'] })
  const times = [{ days: ['sat', 'sun'], from: '21:30', to: '24:00' }]
  await done('POST', '/api/dns/profiles', {
    name: 'Night',
    schedule: { time_zone: 'Europe/Berlin', times, otherwise: id },
  })
}
