import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ClientRate } from './client-rate.ts'
import { Pending } from './pending.ts'
import { Figure, FailureCode } from './shared-state.ts'
import { UpstreamHealth } from './upstream-health.ts'

/** Model of a table of pending queries. */
interface Flight {
  readonly flight: number
  readonly hash: number
  port: number
  id: number
  waiters: number[]
}

test('pending queries are found by socket and id, by question and by age', () => {
  const command = fc.record({
    what: fc.constantFrom('open', 'depart', 'wait', 'close', 'closeOldest'),
    pick: fc.nat(30),
    hash: fc.nat(6),
    port: fc.nat(3),
    id: fc.nat(20),
  })
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
      const pending = new Pending({ flights: 8, waiters: 12 })
      let flights: Flight[] = []
      let sent: Flight[] = []
      const forget = (gone: Flight) => {
        pending.close(gone.flight)
        flights = flights.filter((one) => one !== gone)
        sent = sent.filter((one) => one !== gone)
      }
      for (const { what, pick, hash, port, id } of commands) {
        const picked = flights[pick % Math.max(1, flights.length)]
        if (what === 'open' && pending.findQuestion(hash * 64, hash) < 0) {
          const flight = pending.open(hash * 64, hash, true, 0)
          assert.equal(flight < 0, flights.length === 8)
          if (flight >= 0) flights.push({ flight, hash, port: -1, id: -1, waiters: [] })
        } else if (what === 'depart' && picked && pending.findId(port, id) < 0) {
          pending.depart(picked.flight, port, id, 0)
          Object.assign(picked, { port, id })
          sent = [...sent.filter((one) => one !== picked), picked]
        } else if (what === 'wait' && picked) {
          const total = flights.reduce((sum, { waiters }) => sum + waiters.length, 0)
          const query = Uint8Array.from([pick, hash])
          const waiter = pending.waiters.take(query, 0, 2, pending.firstWaiter[picked.flight]!)
          assert.equal(waiter < 0, total === 12)
          if (waiter < 0) continue
          pending.firstWaiter[picked.flight] = waiter
          picked.waiters.unshift(waiter)
        } else if (what === 'close' && picked) forget(picked)
        else if (what === 'closeOldest' && sent[0]) forget(sent[0])
        check(pending, flights, sent)
      }
    }),
  )
})

function check(pending: Pending, flights: readonly Flight[], sent: readonly Flight[]): void {
  assert.equal(pending.count, flights.length)
  for (const { flight, hash, waiters } of flights) {
    assert.equal(pending.findQuestion(hash * 64, hash), flight)
    const chain: number[] = []
    for (let at = pending.firstWaiter[flight]!; at >= 0; at = pending.waiters.next[at]!) chain.push(at)
    assert.deepEqual(chain, waiters)
  }
  for (const { flight, port, id } of sent) assert.equal(pending.findId(port, id), flight)
  const byAge: number[] = []
  for (let flight = pending.oldest(); flight >= 0; flight = pending.younger(flight)) byAge.push(flight)
  assert.deepEqual(
    byAge,
    sent.map(({ flight }) => flight),
  )
  for (let port = 0; port <= 3; port++) {
    assert.equal(pending.portFlights[port], sent.filter((one) => one.port === port).length)
  }
  assert.equal(pending.findId(3, 21), -1)
}

test('a client is limited to its rate per second, others are unaffected, and memory stays bounded', () => {
  const rate = new ClientRate(100)
  const allowed = (client: number, now: number, tries: number) =>
    Array.from({ length: tries }, () => rate.take(client, now)).filter(Boolean).length
  assert.equal(allowed(1, 1000, 500), 100)
  assert.equal(allowed(1, 1000, 10), 0)
  assert.equal(allowed(2, 1000, 500), 100)
  assert.equal(allowed(1, 1500, 500), 50)
  assert.equal(allowed(1, 9000, 500), 100)
  for (let client = 10; client < 60_000; client++) assert.ok(rate.take(client, 9000))
  rate.limit(0)
  assert.equal(allowed(1, 9000, 500), 500)
})

test('upstreams are chosen in their order among those that do well, and queried again once a second when they do not', () => {
  const figures = new Float64Array(3 * Figure.count)
  const health = new UpstreamHealth(figures)
  health.use([{ before: -1 }, { before: -1 }, { before: -1 }], [[0, 1]], false)
  assert.equal(health.choose(0, 0), 0)
  for (let times = 0; times < 3; times++) health.failed(0, 100, 200, FailureCode.silent)
  assert.equal(health.choose(0, 0), 1)
  assert.equal(health.choose(0, 0b10), 0, 'one that is down is better than none')
  assert.equal(health.choose(0, 0b11), -1, 'a fallback is never chosen')
  assert.equal(health.toProbe(0, 300), -1)
  assert.equal(health.toProbe(0, 1300), 0)
  assert.equal(health.toProbe(0, 1400), -1)
  health.answered(0, 1300, 1310)
  assert.equal(health.choose(0, 0), 0)
  // One slow question among answered ones says nothing against a server.
  for (let times = 0; times < 9; times++) health.failed(0, 1200, 2000, FailureCode.silent)
  assert.equal(health.choose(0, 0), 0)
  health.failed(0, 2000, 2000, FailureCode.unreachable)
  assert.equal(health.choose(0, 0), 1)
})

test('a group of upstreams is apart from others, and what is known of an upstream moves with it', () => {
  const health = new UpstreamHealth(new Float64Array(5 * Figure.count))
  const upstreams = Array.from({ length: 4 }, () => ({ before: -1 }))
  health.use(upstreams, [[0], [2, 3]], false)
  assert.equal(health.choose(1, 0), 2)
  assert.deepEqual([health.bitOf(1, 2), health.bitOf(1, 3), health.bitOf(1, 1)], [1, 2, 0])
  health.failed(2, 0, 10, FailureCode.unreachable)
  assert.equal(health.choose(1, 0), 3)
  assert.deepEqual([health.toProbe(0, 5000), health.toProbe(1, 5000)], [-1, 2])
  assert.equal(health.choose(7, 0), -1, 'a group that is gone')
  health.use([{ before: 0 }, { before: 3 }, { before: 2 }], [[0], [2, 1]], true)
  assert.equal(health.choose(1, 0), 1)
})
