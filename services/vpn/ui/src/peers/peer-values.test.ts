import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Peer } from '../api.ts'
import {
  newPeerValues,
  parseNetworks,
  peerValues,
  toLocalTime,
  toPeerCreate,
  toPeerQuery,
  toPeerUpdate,
} from './peer-values.ts'

const peer: Peer = {
  id: '01a1fdb7-2641-745a-948f-76b041efffe8',
  name: 'phone',
  interface: 'wg0',
  tags: ['kids'],
  ip: '10.8.0.2',
  ipv6: 'fd13:13:13::2',
  routing_mode: 'split_tunnel',
  allowed_ips: ['192.168.1.0/24'],
  persistent_keepalive: 25,
  enabled: true,
  status: 'inactive',
  connected: false,
  last_handshake: null,
  transfer_tx: 0,
  transfer_rx: 0,
  endpoint: null,
  public_key: 'gq74Ce916pzIUDIGj+8rMmLZ0jdU/MAJaiAZtwTmLS4=',
  has_private_key: true,
  has_preshared_key: true,
  client_isolation: false,
  limit_down: null,
  limit_up: 2.5,
  quota: null,
  use_adblocker: true,
  blocklist_ids: null,
  dns_logging_enabled: true,
  expires_at: '2027-01-02T03:04:00.000Z',
  expired: false,
  expires_soon: false,
  networks: [],
  needs_configuration: false,
  needs_standby_configuration: false,
  key_rotation: null,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

test('a new peer sends only name and interface, besides the two switches', () => {
  assert.deepEqual(toPeerCreate({ ...newPeerValues('wg0'), name: 'phone' }), {
    name: 'phone',
    interface: 'wg0',
    client_isolation: false,
    use_preshared_key: true,
  })
})

test('networks behind a device are sent when they differ, and emptied when they are taken away', () => {
  const site: Peer = { ...peer, networks: ['10.20.0.0/16', 'fd20::/48'] }
  assert.equal(peerValues(site).networks, '10.20.0.0/16, fd20::/48')
  const edit = (networks: string) => toPeerUpdate({ ...peerValues(site), networks }, peerValues(site))
  assert.deepEqual(edit('10.20.0.0/16\n10.21.0.0/16'), { networks: ['10.20.0.0/16', '10.21.0.0/16'] })
  assert.deepEqual(edit(' '), { networks: [] })
})

test('an unchanged peer sends nothing', () => {
  assert.equal(toPeerUpdate(peerValues(peer), peerValues(peer)), undefined)
})

test('an edit sends what differs, and emptied fields clear values', () => {
  const before = peerValues(peer)
  const edit = (changes: object) => toPeerUpdate({ ...before, ...changes }, before)
  assert.deepEqual(edit({ name: 'tablet' }), { name: 'tablet' })
  assert.deepEqual(edit({ limit_down: 20, limit_up: '' }), { limit_down: 20, limit_up: null })
  assert.deepEqual(edit({ tags: ['kids', 'phones'] }), { tags: ['kids', 'phones'] })
  assert.deepEqual(edit({ tags: [] }), { tags: [] })
  assert.deepEqual(edit({ ipv6: '' }), { ipv6: null })
  assert.deepEqual(edit({ expires_at: '' }), { expires_at: null })
  assert.deepEqual(edit({ allowed_ips: '' }), { allowed_ips: [] })
  assert.deepEqual(edit({ use_preshared_key: false }), { use_preshared_key: false })
  assert.deepEqual(edit({ client_isolation: true, persistent_keepalive: 0 }), {
    client_isolation: true,
    persistent_keepalive: 0,
  })
})

test('filtering options are sent when not default, lists as a set', () => {
  const named = { ...newPeerValues('wg0'), name: 'tv' }
  const create = toPeerCreate({ ...named, use_adblocker: false, blocklist_ids: ['a'], dns_logging_enabled: false })
  assert.equal(create.use_adblocker, false)
  assert.deepEqual(create.blocklist_ids, ['a'])
  assert.equal(create.dns_logging_enabled, false)
  const before = { ...peerValues(peer), blocklist_ids: ['a', 'b'] }
  assert.equal(toPeerUpdate({ ...before, blocklist_ids: ['b', 'a'] }, before), undefined)
  assert.deepEqual(toPeerUpdate({ ...before, blocklist_ids: [] }, before), { blocklist_ids: [] })
  assert.deepEqual(toPeerUpdate({ ...before, blocklist_ids: null }, before), { blocklist_ids: null })
  assert.deepEqual(toPeerUpdate({ ...before, dns_logging_enabled: false }, before), { dns_logging_enabled: false })
})

test('a time stays the same on its way into the form and back', () => {
  assert.equal(new Date(toLocalTime(peer.expires_at)).toISOString(), peer.expires_at)
  assert.equal(toLocalTime(null), '')
})

test('networks may be separated by any delimiter', () => {
  assert.deepEqual(parseNetworks(' 10.0.0.0/8,\nfd00::/8  192.168.0.0/16,,'), [
    '10.0.0.0/8',
    'fd00::/8',
    '192.168.0.0/16',
  ])
})

test('the table queries only the filters that are set', () => {
  const state = { search: '', sort: '', page: 1, filters: {} }
  assert.deepEqual(toPeerQuery(state), { limit: 25, offset: 0 })
  assert.deepEqual(
    toPeerQuery({ search: 'x', sort: '-name', page: 3, filters: { status: 'active', interface: 'wg0', tag: 'kids' } }),
    {
      limit: 25,
      offset: 50,
      search: 'x',
      sort: 'name',
      order: 'desc',
      interface: 'wg0',
      tag: 'kids',
      status: 'active',
    },
  )
})
