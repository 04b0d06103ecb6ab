import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { aRecord, cname, createTestEngine } from '../../test/dns-engines.ts'
import { T, soaData } from '../../test/dns-messages.ts'
import { CellArena } from './cell-arena.ts'
import { Trait } from './policy/verdict.ts'

const address = [203, 0, 113, 7]
const edns = { size: 1232 }
const soa = (ttl: number, minimum: number) => ({ name: 'example', type: T.soa, ttl, data: soaData(minimum) })

describe('a cached answer', () => {
  test('counts down by the second, each record by its own TTL, and expires with the shortest', () => {
    const it = createTestEngine({
      upstream: () => ({ answers: [cname('a.example', 'b.example', 100), aRecord('b.example', address, 30)] }),
    })
    const ttls = () => it.ask('a.example').answers.map(({ ttl }) => ttl)
    assert.deepEqual(ttls(), [100, 30])
    assert.equal(it.engine.entry.traits, 0)
    it.wait(12)
    assert.deepEqual(ttls(), [88, 18])
    assert.equal(it.engine.entry.traits, Trait.cached)
    it.wait(17)
    assert.deepEqual(ttls(), [71, 1])
    assert.equal(it.forwarded.length, 1)
    it.wait(1)
    assert.deepEqual(ttls(), [100, 30])
    assert.equal(it.forwarded.length, 2)
  })

  test('ends in the last tenth of its time, when it is to be renewed', () => {
    const it = createTestEngine({
      upstream: () => ({ answers: [aRecord('a.example', address, 30)] }),
      settings: { prefetch: true },
    })
    const isEnding = () => {
      it.ask('a.example')
      return it.engine.isEnding
    }
    assert.deepEqual([isEnding(), isEnding()], [false, false])
    it.wait(26)
    assert.equal(isEnding(), false)
    it.wait(1)
    assert.equal(isEnding(), true)
    it.engine.configure({ ...it.settings, prefetch: false })
    assert.equal(isEnding(), false)
    assert.equal(it.forwarded.length, 1)
  })

  test('is kept within the TTL limits, and not at all with a TTL of 0', () => {
    let ttl = 5
    const it = createTestEngine({
      upstream: () => ({ answers: [aRecord('a.example', address, ttl)] }),
      settings: { cache: { minTtl: 60, maxTtl: 600 } },
    })
    assert.equal(it.ask('a.example').answers[0]!.ttl, 60)
    it.wait(59)
    assert.equal(it.ask('a.example').answers[0]!.ttl, 1)
    ttl = 100_000
    assert.equal(it.ask('b.example').answers[0]!.ttl, 600)
    it.engine.configure({ ...it.settings, cache: { minTtl: 0, maxTtl: 0 } })
    for (ttl of [0, 0x8000_0000]) {
      const before = it.forwarded.length
      for (let k = 0; k < 2; k++) assert.equal(it.ask(`c${ttl}.example`).answers[0]!.ttl, 0)
      assert.equal(it.forwarded.length, before + 2)
    }
  })

  test('that is negative is kept for the SOA minimum (RFC 2308)', () => {
    for (const [what, flags, answers] of [
      ['no such name', 0x8183, []],
      ['no such type', 0x8180, []],
      ['no such type behind a CNAME', 0x8180, [cname('a.example', 'b.example', 9000)]],
    ] as const) {
      for (const [ttl, minimum, life] of [
        [900, 20, 20],
        [20, 900, 20],
        [90_000, 90_000, 3600],
      ] as const) {
        const it = createTestEngine({ upstream: () => ({ flags, answers, authorities: [soa(ttl, minimum)] }) })
        assert.equal(it.ask('a.example', T.aaaa).authorities[0]!.ttl, life, what)
        it.wait(life - 1)
        const late = it.ask('a.example', T.aaaa)
        assert.deepEqual([late.rcode, late.authorities[0]!.ttl], [flags & 15, 1], what)
        it.wait(1)
        it.ask('a.example', T.aaaa)
        assert.equal(it.forwarded.length, 2, what)
      }
      const lost = createTestEngine({ upstream: () => ({ flags, answers }) })
      for (let k = 0; k < 2; k++) lost.ask('a.example', T.aaaa)
      assert.equal(lost.forwarded.length, 2, `${what}, without SOA`)
    }
    const short = createTestEngine({
      upstream: () => ({ flags: 0x8183, authorities: [soa(5, 5)] }),
      settings: { cache: { minTtl: 600, maxTtl: 0 } },
    })
    short.use(() => ({ answers: [cname('b.example', 'c.example', 7)], authorities: [soa(50, 50)] }))
    assert.equal(short.ask('b.example', T.aaaa).answers[0]!.ttl, 7)
    short.use(() => ({ flags: 0x8183, authorities: [soa(5, 5)] }))
    assert.equal(short.ask('a.example').authorities[0]!.ttl, 5, 'the least does not lengthen a no')
  })

  test('is keyed by type, DO and CD, but not by the case of letters', () => {
    const it = createTestEngine({
      upstream: ({ type }) => ({ answers: [aRecord('a.example', type === T.a ? address : Array(16).fill(0x20))] }),
    })
    it.ask('a.example')
    it.ask('A.EXAMPLE', T.a, { edns })
    assert.equal(it.forwarded.length, 1)
    it.ask('a.example', T.aaaa)
    it.ask('a.example', T.a, { edns: { size: 1232, do: true } })
    it.ask('a.example', T.a, { flags: 0x0110 })
    assert.equal(it.forwarded.length, 4)
  })

  test('is not stored for failures and truncated responses', () => {
    for (const flags of [0x8182, 0x8185, 0x8380]) {
      const it = createTestEngine({ upstream: () => ({ flags, answers: [aRecord('a.example', address)] }) })
      for (let k = 0; k < 2; k++) assert.equal(it.ask('a.example').answers.length, 0)
      assert.equal(it.forwarded.length, 2)
    }
  })

  test('is stale once the clock is set back to before it was stored', () => {
    const it = createTestEngine({ upstream: () => ({ answers: [aRecord('a.example', address)] }) })
    it.ask('a.example')
    it.wait(-3600)
    it.ask('a.example')
    assert.equal(it.forwarded.length, 2)
    it.ask('a.example')
    assert.equal(it.forwarded.length, 2)
  })
})

describe('a stale answer', () => {
  const upstream = () => ({ answers: [aRecord('a.example', address, 60)] })

  test('is served for a day while upstreams fail, which are retried after five seconds', () => {
    const it = createTestEngine({ upstream })
    it.ask('a.example')
    it.use(() => undefined)
    it.wait(3600)
    const stale = it.ask('a.example', T.a, { edns })
    assert.deepEqual([stale.rcode, stale.answers[0]!.ttl, stale.edns!.errors[0]!.code], [0, 30, 3])
    assert.equal(it.engine.entry.traits, Trait.cached)
    assert.equal(it.forwarded.length, 2)
    it.wait(4)
    assert.equal(it.ask('a.example').answers[0]!.ttl, 30)
    assert.equal(it.forwarded.length, 2)
    it.wait(1)
    it.use(() => ({ flags: 0x8182 }))
    assert.equal(it.ask('a.example').answers[0]!.ttl, 30, 'a failure is no newer answer')
    assert.equal(it.forwarded.length, 3)
    it.wait(86_400)
    assert.equal(it.ask('a.example').rcode, 2)
  })

  test('is not served when settings disable it, and never to a client for which it is blocked', () => {
    const it = createTestEngine({
      upstream: () => ({ answers: [aRecord('a.example', [10, 0, 0, 1], 60)] }),
      settings: { serveStale: false },
    })
    it.ask('a.example')
    it.use(() => undefined)
    it.wait(61)
    assert.equal(it.ask('a.example').rcode, 2)
    it.engine.configure({ ...it.settings, serveStale: true })
    assert.equal(it.ask('a.example').answers[0]!.data, '00000000')
  })
})

describe('the cache memory', () => {
  const many = (count: number) => ({
    answers: Array.from({ length: count }, (_, k) => aRecord('x.example', [203, 0, k >> 8, k & 255])),
  })

  test('has a bound; what was queried lately stays', () => {
    const it = createTestEngine({ cacheSize: 64, upstream: () => many(1) })
    for (let k = 0; k < 1000; k++) {
      it.ask(`n${k}.example`)
      it.ask('favourite.example')
    }
    assert.ok(it.engine.cache.entries <= 64)
    assert.ok(it.engine.cache.entries > 48)
    assert.equal(it.forwarded.filter(({ name }) => name!.toLowerCase() === 'favourite.example').length, 1)
    it.engine.cache.clear()
    assert.equal(it.engine.cache.entries, 0)
    it.ask('favourite.example')
    assert.equal(it.forwarded.filter(({ name }) => name!.toLowerCase() === 'favourite.example').length, 2)
  })

  test('stores long answers by evicting others, and returns them intact', () => {
    const it = createTestEngine({ cacheSize: 40, upstream: ({ name }) => many(Number(/\d+/.exec(name!)![0]) % 130) })
    it.engine.isStream = true
    for (let round = 0; round < 3; round++) {
      for (let k = 1; k < 400; k++) {
        assert.equal(it.ask(`n${k}.example`).answers.length, k % 130)
        assert.equal(
          it.ask(`n${k}.example`).answers.at(-1)?.data,
          k % 130 === 0 ? undefined : `cb0000${((k % 130) - 1).toString(16).padStart(2, '0')}`,
        )
      }
    }
    assert.ok(it.engine.cache.entries > 0)
  })

  test('may be disabled', () => {
    const it = createTestEngine({ cacheSize: 0, upstream: () => many(1) })
    it.ask('a.example')
    it.ask('a.example')
    assert.equal(it.forwarded.length, 2)
  })

  test('consists of cells that are all free again after every answer is released', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const arena = new CellArena(150)
        const kept = sizes.map((size, k) => {
          const bytes = new Uint8Array(size).fill(k + 1)
          const cells = Math.ceil(size / 256)
          const first = arena.take(cells)
          arena.open(first)
          arena.write(bytes, 0, size >> 1)
          arena.write(bytes, size >> 1, size - (size >> 1))
          return { bytes, cells, first }
        })
        for (const { bytes, first } of kept) {
          arena.open(first)
          assert.ok(arena.matches(bytes, bytes.length))
          arena.open(first)
          const back = new Uint8Array(bytes.length)
          arena.read(back, 0, 1)
          arena.read(back, 1, bytes.length - 1)
          assert.deepEqual(back, bytes)
        }
        for (const { first, cells } of kept) arena.giveBack(first, cells)
        assert.equal(arena.free, 150)
      }),
    )
  })
})
