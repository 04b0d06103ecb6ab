import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { maxLinkBody, maxTraffic, Report, type TrafficBatch } from '../nodes/link-schema.ts'
import type { PeerState } from '../wireguard/device.ts'
import { StoredJournal, TrafficJournal } from './traffic-journal.ts'

const spanMs = 30_000
const keyOf = (number: number) => `${number}`.padStart(43, 'k').concat('=')
const empty = (count: string = randomUUID()): StoredJournal => ({
  count,
  last: 0,
  until: 0,
  numbered: [],
  spans: [],
  seen: {},
})

/** Peers of one device, which counts whether or not somebody reads. */
class FakeDevice {
  readonly #peers = new Map<string, PeerState>()

  traffic(number: number, rx: number, tx: number, more: Partial<PeerState> = {}): void {
    const publicKey = keyOf(number)
    const before = this.#peers.get(publicKey) ?? { ...idle, publicKey }
    this.#peers.set(publicKey, { ...before, rxBytes: before.rxBytes + rx, txBytes: before.txBytes + tx, ...more })
  }

  /** Peers as a device that was made anew has them. */
  restart(): void {
    for (const [key, peer] of this.#peers) this.#peers.set(key, { ...peer, ...idle, publicKey: key })
  }

  read(): Map<string, PeerState> {
    return new Map(this.#peers)
  }
}

const idle = {
  publicKey: '',
  presharedKey: null,
  allowedIps: [],
  endpoint: null,
  latestHandshake: null,
  rxBytes: 0,
  txBytes: 0,
}

/** What the service keeps of batches: each number of a count once, together with the totals. */
class FakeControlPlane {
  readonly totals = new Map<string, { rx: number; tx: number }>()
  #counted = { count: '', last: 0 }

  report(count: string, batches: readonly TrafficBatch[]): number {
    if (this.#counted.count !== count) this.#counted = { count, last: 0 }
    for (const { number, peers } of batches) {
      if (number <= this.#counted.last) continue
      assert.equal(number, this.#counted.last + 1, 'no batch is left out')
      this.#counted.last = number
      for (const { public_key: key, rx, tx } of peers) {
        const total = this.totals.get(key) ?? { rx: 0, tx: 0 }
        this.totals.set(key, { rx: total.rx + rx, tx: total.tx + tx })
      }
    }
    return this.#counted.last
  }
}

/** A node whose program may end at any moment. */
class FakeNode {
  readonly device = new FakeDevice()
  readonly service = new FakeControlPlane()
  #disk = JSON.stringify(empty())
  #journal = this.#load()
  #now = 0

  #load(): TrafficJournal {
    return new TrafficJournal(StoredJournal.parse(JSON.parse(this.#disk)))
  }

  get journal(): TrafficJournal {
    return this.#journal
  }

  get disk(): string {
    return this.#disk
  }

  crash(): void {
    this.#journal = this.#load()
  }

  write(): void {
    this.#disk = JSON.stringify(this.#journal.stored())
  }

  take(): void {
    this.#now += spanMs
    this.#journal.take(new Map([['wg0', this.device.read()]]), this.#now)
  }

  /** One report; `fault` is what goes wrong after the numbers are on the disk. */
  send(fault: 'none' | 'request lost' | 'answer lost'): void {
    const { batches } = this.#journal.number()
    this.write()
    if (fault === 'request lost') return
    const counted = this.service.report(this.#journal.count, batches)
    if (fault === 'none') this.#journal.confirm(counted, randomUUID)
  }

  drain(): void {
    this.take()
    this.write()
    for (let round = 0; this.#journal.isWaiting; round += 1) {
      assert.ok(round < 1000, 'everything is sent at last')
      this.send('none')
    }
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('traffic' as const), fc.nat(5), fc.nat(1e9), fc.nat(1e9)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('take' as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('write' as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('crash' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('device restarts' as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('away' as const), fc.nat(400)) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('send' as const),
      fc.constantFrom('none' as const, 'request lost' as const, 'answer lost' as const),
      fc.boolean(),
    ),
  },
)

test('whatever crashes and whichever answer is lost, the service counts each byte once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const node = new FakeNode()
      const sums = new Map<string, { rx: number; tx: number }>()
      const add = (number: number, rx: number, tx: number) => {
        node.device.traffic(number, rx, tx)
        const sum = sums.get(keyOf(number)) ?? { rx: 0, tx: 0 }
        sums.set(keyOf(number), { rx: sum.rx + rx, tx: sum.tx + tx })
      }
      for (const [kind, ...values] of steps) {
        if (kind === 'traffic') add(...(values as [number, number, number]))
        else if (kind === 'take') node.take()
        else if (kind === 'write') node.write()
        else if (kind === 'crash') node.crash()
        else if (kind === 'device restarts') {
          // Its counters are read and written down before.
          node.take()
          node.write()
          node.device.restart()
          node.take()
          node.write()
        } else if (kind === 'away') {
          for (let count = Number(values[0]); count > 0; count -= 1) {
            add(count % 3, count, 1)
            node.take()
          }
        } else {
          const [fault, crashes] = values as ['none' | 'request lost' | 'answer lost', boolean]
          node.send(fault)
          if (crashes) node.crash()
        }
      }
      node.drain()
      const counted = [...node.service.totals].filter(([, { rx, tx }]) => rx + tx > 0)
      const wanted = [...sums].filter(([, { rx, tx }]) => rx + tx > 0)
      assert.deepEqual(Object.fromEntries(counted), Object.fromEntries(wanted))
    }),
    { numRuns: 500 },
  )
})

test('a span has the peers with traffic or a new handshake, and a device that is gone begins at zero', () => {
  const journal = new TrafficJournal(empty())
  const device = new FakeDevice()
  device.traffic(1, 100, 50, { endpoint: '192.0.2.1:4000', latestHandshake: 5000 })
  device.traffic(2, 0, 0)
  assert.equal(journal.take(new Map([['wg0', device.read()]]), 30_000), true)
  assert.equal(journal.take(new Map([['wg0', device.read()]]), 60_000), false, 'nothing happened')
  device.traffic(1, 0, 0, { latestHandshake: 65_000 })
  journal.take(new Map([['wg0', device.read()]]), 90_000)
  journal.take(new Map([['wg0', undefined]]), 120_000)
  device.restart()
  device.traffic(1, 7, 8)
  journal.take(new Map([['wg0', device.read()]]), 150_000)
  const peer = { interface: 'wg0', public_key: keyOf(1) }
  assert.deepEqual(journal.number().batches, [
    {
      number: 1,
      at: 30_000,
      peers: [{ ...peer, rx: 100, tx: 50, latest_handshake: 5000, endpoint: '192.0.2.1:4000' }],
    },
    {
      number: 2,
      at: 90_000,
      peers: [{ ...peer, rx: 0, tx: 0, latest_handshake: 65_000, endpoint: '192.0.2.1:4000' }],
    },
    { number: 3, at: 150_000, peers: [{ ...peer, rx: 7, tx: 8, latest_handshake: null, endpoint: null }] },
  ])
})

test('a week without the service is kept in a bounded file, the days of it about equally fine', () => {
  const node = new FakeNode()
  const spans = (7 * 86_400_000) / spanMs
  for (let count = 0; count < spans; count += 1) {
    for (let peer = 0; peer < 20; peer += 1) node.device.traffic(peer, 1000, 100)
    node.take()
    if (count % 1000 === 0) node.send('request lost')
  }
  node.write()
  const { numbered, spans: waiting } = node.journal.stored()
  assert.ok(numbered.length <= maxTraffic.batches && waiting.length <= 240)
  assert.ok(node.disk.length < 2_000_000, `${node.disk.length} bytes`)
  const lengths = waiting.map(({ since, at }) => at - since)
  assert.ok(Math.max(...lengths) <= 3 * ((7 * 86_400_000) / 240), `${Math.max(...lengths)} ms in one span`)
  node.drain()
  assert.deepEqual(node.service.totals.get(keyOf(3)), { rx: 1000 * spans, tx: 100 * spans })
})

test('a report with the longest texts fits into its body, also when a device has 5000 peers', () => {
  const node = new FakeNode()
  const endpoint = `[${'f'.repeat(50)}]:51820`
  for (let peer = 0; peer < 5000; peer += 1)
    node.device.traffic(peer, 2 ** 52, 2 ** 52, { endpoint, latestHandshake: Date.now() })
  node.take()
  const { batches } = node.journal.number()
  const interfaces = Array.from({ length: 100 }, () => ({
    name: 'interface-name1',
    status: 'error',
    reason: 'x'.repeat(300),
  }))
  const body = { version: '1', sent_at: Date.now(), revision: 'f'.repeat(64), interfaces }
  const report = { ...body, traffic: { count: node.journal.count, batches } }
  assert.ok(Report.safeParse(report).success)
  assert.ok(JSON.stringify(report).length < maxLinkBody.report)
  node.drain()
  assert.equal(node.service.totals.size, 5000)
})

test('a node whose journal is older than what it sent begins another count, and one that lost it counts from now on', () => {
  const node = new FakeNode()
  node.device.traffic(1, 10, 10)
  node.take()
  const { count } = node.journal
  node.journal.number()
  node.journal.confirm(7, randomUUID)
  assert.notEqual(node.journal.count, count)
  node.device.traffic(1, 5, 5)
  node.drain()
  assert.deepEqual(node.service.totals.get(keyOf(1)), { rx: 5, tx: 5 })

  const lost = new TrafficJournal(empty(), true)
  lost.take(new Map([['wg0', node.device.read()]]), 1000)
  assert.equal(lost.isWaiting, false)
  node.device.traffic(1, 3, 4)
  lost.take(new Map([['wg0', node.device.read()]]), 2000)
  assert.deepEqual(
    lost.number().batches.map(({ peers }) => peers.map(({ rx, tx }) => [rx, tx])),
    [[[3, 4]]],
  )
})
