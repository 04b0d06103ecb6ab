import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Peer } from './api.ts'
import { addRate, patchPeers, type RateSample } from './live-changes.ts'

const peer = (id: string) => ({ id, name: id, status: 'inactive', transfer_rx: 0 }) as Peer
const activity = (id: string) => ({
  id,
  interface: 'wg0',
  status: 'active' as const,
  connected: true,
  last_handshake: '2026-11-21T10:00:00.000Z',
  transfer_rx: 7,
  transfer_tx: 8,
  endpoint: null,
})

test('counters update their own rows and leave others alone', () => {
  const page = { peers: [peer('a'), peer('b')], total: 2 }
  const next = patchPeers(page, [activity('b')])
  assert.equal(next?.peers[0]?.status, 'inactive')
  assert.equal(next?.peers[1]?.status, 'active')
  assert.equal(next?.peers[1]?.name, 'b')
  assert.equal(next?.total, 2)
})

test('a page without the event’s peers stays the same object', () => {
  const page = { peers: [peer('a')] }
  assert.equal(patchPeers(page, [activity('z')]), page)
  const single = peer('a')
  assert.equal(patchPeers(single, [activity('z')]), single)
  assert.equal(patchPeers(single, [activity('a')])?.transfer_rx, 7)
  assert.equal(patchPeers(undefined, [activity('a')]), undefined)
})

test('the traffic chart keeps the last samples and adds none twice', () => {
  const sample = (second: number) => ({
    traffic: {
      rx_bytes: 0,
      tx_bytes: 0,
      rx_rate: second,
      tx_rate: 0,
      today: { rx_bytes: 0, tx_bytes: 0 },
      last_handshake: null,
    },
    generated_at: new Date(second * 1000).toISOString(),
  })
  let samples: RateSample[] = []
  for (let second = 1; second <= 400; second += 1) samples = addRate(samples, sample(second))
  assert.equal(samples.length, 150)
  assert.equal(samples.at(-1)?.rx, 400)
  assert.equal(addRate(samples, sample(400)).length, 150)
  assert.equal(addRate(undefined, sample(1)).length, 1)
})
