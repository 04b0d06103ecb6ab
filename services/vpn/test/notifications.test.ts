import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startWebhookReceiver } from '@hearth/testing'
import { simulateTraffic } from '../src/wireguard/simulated-traffic.ts'
import { startService, type TestService } from './in-process.ts'

const destinations = '/api/notifications/destinations'
const hook = (url: string, classes: string[] | null = null) => ({
  name: 'Hook',
  is_enabled: true,
  target: { kind: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  rules: { classes, minimum_severity: 'info', time_zone: 'UTC', quiet_hours: null, digest: { every: 'message' } },
})

const environment = { OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://vpn.example.org' }

/** Adds an interface with peers; returns their public keys by id. */
async function addPeers(service: TestService, count: number): Promise<Map<string, string>> {
  const made = await service.call('POST', '/api/interfaces', {
    name: 'wg7',
    address: '10.7.0.1/24',
    listen_port: 51_877,
  })
  assert.equal(made.status, 201, made.text)
  const keys = new Map<string, string>()
  for (let index = 0; index < count; index += 1) {
    const peer = await service.call('POST', '/api/peers', { interface: 'wg7', name: `Peer ${index}` })
    assert.equal(peer.status, 201, peer.text)
    keys.set(peer.body.data.id, peer.body.data.public_key)
  }
  return keys
}

test('a peer that connects for the first time is told once', async () => {
  await using receiver = await startWebhookReceiver()
  await using service = await startService(environment)
  await service.call('PUT', '/api/settings', { sample_interval_seconds: 1 })
  // About one simulated peer in eight stays offline.
  const keys = await addPeers(service, 5)
  const made = await service.call('POST', destinations, hook(receiver.url, ['peer.first-connection']))
  assert.equal(made.status, 201, made.text)
  const ending = new AbortController()
  const publicKeys = () => [...keys.values()]
  const simulated = simulateTraffic(service.folder, { publicKeys, signal: ending.signal, interval: 200 })
  const connected = async () => {
    const { body } = await service.call('GET', '/api/peers?limit=100')
    const peers: { name: string; last_handshake: string | null }[] = body.data.peers ?? body.data
    return peers.filter((peer) => peer.last_handshake !== null).map(({ name }) => name)
  }
  const names = await eventually(connected, (found) => found.length >= 3, { seconds: 30 })
  const expected = names.map((name) => `${name} connected for the first time`)
  await eventually(receiver.titles, (titles) => expected.every((title) => titles.includes(title)), { seconds: 30 })
  assert.equal(new Set(receiver.titles()).size, receiver.received.length)
  assert.match(receiver.received[0]?.link ?? '', /^https:\/\/vpn\.example\.org\/peers\//)
  ending.abort()
  await simulated
})

test('a list that cannot be updated is told; other services of the house are reached only when they are allowed', async () => {
  await using receiver = await startWebhookReceiver()
  await using service = await startService(environment)
  await service.call('POST', destinations, hook(receiver.url, ['list.failing']))
  const list = { name: 'At home', url: 'http://192.168.77.9/list.txt' }
  assert.equal((await service.call('POST', '/api/dns/blocklists', list)).status, 201)
  const [failing] = await eventually(
    () => receiver.received,
    (received) => received.length > 0,
    { seconds: 40 },
  )
  assert.deepEqual([failing?.state, failing?.title], ['began', 'Block list At home cannot be updated'])
  assert.match(failing?.text ?? '', /OUTBOUND_ALLOW/)
  const refused = await service.call('POST', destinations, hook('http://192.168.77.9/hook'))
  const tested = await service.call('POST', `${destinations}/${refused.body.data.id}/test`)
  assert.equal(tested.body.data.is_delivered, false)
  assert.match(tested.body.data.detail, /does not lead to a public address/)
})

test('destinations are for administrators', async () => {
  await using service = await startService()
  await service.addUser('reader', 'user')
  const reader = await service.signIn('reader', 'tall-giraffe-on-ice-7')
  assert.equal((await reader.send('GET', destinations)).status, 403)
  const wrong = await service.call('POST', destinations, hook('https://example.org', ['moon']))
  assert.deepEqual([wrong.status, wrong.body.details.fields[0].path], [422, 'rules.classes'])
})
