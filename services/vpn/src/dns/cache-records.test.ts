import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { aRecord, cname, createTestEngine } from '../../test/dns-engines.ts'
import { T } from '../../test/dns-messages.ts'
import { CacheRecords } from './cache-records.ts'

type TestEngine = ReturnType<typeof createTestEngine>

const upstream: Parameters<TestEngine['use']>[0] = ({ name = '', type }) => {
  if (type === T.aaaa)
    return { answers: [cname(name ?? '', 'edge.example', 90), aRecord('edge.example', Array<number>(16).fill(1))] }
  return { flags: 0x81a0, answers: [aRecord(name ?? '', [192, 0, 2, 1], 120)] }
}

function copyOf({ engine }: TestEngine): Uint8Array {
  const out = new Uint8Array(1 << 20)
  let at = 0
  for (let place = 0; place < engine.cache.places; place++)
    at += engine.cache.copyRecord(place, engine.seconds, out, at)
  return out.slice(0, at)
}

function load({ engine }: TestEngine, bytes: Uint8Array): void {
  const records = new CacheRecords(engine.key)
  for (let at = 0; at >= 0;) at = records.take(engine.cache, bytes, at, { now: engine.seconds, limits: engine.limits })
}

test('answers of every kind are the same in another cache, a minute older', () => {
  const one = createTestEngine({ upstream, settings: { dnssec: true } })
  const questions = [
    ['www.example', T.a, {}],
    ['WWW.Example', T.aaaa, {}],
    ['dnssec.example', T.a, { edns: { size: 1232, dnssecOk: true } }],
    ['checking.example', T.a, { flags: 0x0110 }],
  ] as const
  for (const [name, type, more] of questions) one.ask(name, type, more)
  const two = createTestEngine({ settings: { dnssec: true } })
  two.engine.now = one.engine.now + 60_000
  load(two, copyOf(one))
  one.wait(60)
  assert.equal(two.engine.cache.entries, one.engine.cache.entries)
  for (const [name, type, more] of questions)
    assert.deepEqual(two.ask(name, type, { ...more, id: 7 }), one.ask(name, type, { ...more, id: 7 }))
  assert.equal(two.forwarded.length, 0)
})

test('an answer that is over, or from a time to come, or known already, is not taken in', () => {
  const one = createTestEngine({ upstream })
  one.ask('www.example')
  const bytes = copyOf(one)
  for (const seconds of [-60, 2 * 86_400]) {
    const two = createTestEngine({})
    two.engine.now = one.engine.now + seconds * 1000
    load(two, bytes)
    assert.equal(two.ask('www.example').rcode, 2)
  }
  const known = createTestEngine({ upstream: ({ name }) => ({ answers: [aRecord(name ?? '', [203, 0, 113, 9])] }) })
  known.ask('www.example')
  load(known, bytes)
  assert.equal(known.ask('www.example').answers[0]?.data, 'cb007109')
})

test('whatever bytes there are, nothing is thrown and the resolver answers as before', () => {
  const one = createTestEngine({ upstream })
  for (let n = 0; n < 20; n++) one.ask(`host-${n}.example`, n % 2 === 0 ? T.a : T.aaaa)
  const whole = copyOf(one)
  const change = fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), fc.nat(whole.length), (changes, length) => {
      const bytes = whole.slice(0, length)
      for (const { at, value } of changes) if (at < length) bytes[at] = value
      const it = createTestEngine({ upstream })
      load(it, bytes)
      assert.equal(it.ask('other.example').answers[0]?.data, 'c0000201')
      for (let n = 0; n < 20; n++) it.ask(`host-${n}.example`)
    }),
  )
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => load(createTestEngine({}), bytes)))
})
