import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { allocatedPerCall, testSeed } from '@hearth/testing'
import { aRecord, cname } from '../../test/dns-engines.ts'
import { T, encodeMessage, soaData } from '../../test/dns-messages.ts'
import { clientOf, plainSettings, policyOf, ruleOf } from '../../test/dns-policies.ts'
import { AnswerCache } from './answer-cache.ts'
import { Engine } from './engine.ts'
import { type Answered, Outcome } from './outcome.ts'

/** Numbers that look random and are the same for the same seed (mulberry32). */
function createDice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const policy = policyOf({
  lists: [
    ['||ads.example^', '@@||ok.ads.example^'],
    ['*.tracker.example', '|x.example|$important'],
  ],
  clients: [clientOf(1), clientOf(2, { filtering: false }), clientOf(3, { lists: ['list-1'] })],
  rules: [ruleOf('block *.shop.example', 1), ruleOf('allow a.example')],
})

const names = [
  '',
  'a.example',
  'b.a.example',
  'ads.example',
  'ok.ads.example',
  'y.tracker.example',
  'x.example',
  'mask.icloud.com',
  'long-'.repeat(11) + 'label.shop.example',
]
const queries = names.flatMap((name) =>
  [T.a, T.aaaa, T.https, T.any, T.mx].flatMap((type) =>
    [undefined, { size: 1232 }, { size: 65_535, do: true }].map((edns) => encodeMessage({ name, type, edns })),
  ),
)
const svcb = Uint8Array.from([0, 1, 1, 120, 7, 101, 120, 97, 109, 112, 108, 101, 0, 0, 4, 0, 4, 203, 0, 113, 1])
const bodies = [
  { answers: [aRecord('a.example', [203, 0, 113, 1]), aRecord('a.example', [10, 0, 0, 1])] },
  { answers: [cname('a.example', 'y.tracker.example'), aRecord('y.tracker.example', Array(16).fill(0x20))] },
  { flags: 0x8183, authorities: [{ name: 'example', type: T.soa, ttl: 100, data: soaData(50) }] },
  {
    answers: [{ name: 'a.example', type: T.https, ttl: 5, data: svcb }],
    additionals: [aRecord('ns.example', [203, 0, 113, 2])],
  },
  { answers: Array.from({ length: 45 }, (_, k) => aRecord(`n${k}.example`, [203, 0, 113, k])) },
  {},
].flatMap((body) =>
  [undefined, { size: 1232 }].map((edns) => encodeMessage({ flags: 0x8180, ...body, edns }).subarray(2)),
)

/** Flips, cuts, repeats, inserts; writes the result to `to` and returns its length. */
function mutate(dice: (below: number) => number, from: Uint8Array, to: Uint8Array): number {
  to.set(from)
  let length = from.length
  for (let times = dice(4); times > 0 && length > 0; times--) {
    const at = dice(length)
    switch (dice(7)) {
      case 0:
        to[at] = dice(256)
        break
      case 1:
        to[at]! ^= 1 << dice(8)
        break
      case 2:
        length = at
        break
      case 3:
        to[at] = 0xc0
        to[at + 1] = dice(length + 4)
        break
      case 4:
        to.copyWithin(at, dice(length), Math.min(length, at + dice(40)))
        break
      case 5:
        to.copyWithin(at + 3, at, length)
        length += 3
        break
      default:
        // Counts of records.
        to[4 + dice(8)] = dice(3)
    }
  }
  return length
}

/** Returns where the records of a message end that starts at m[start]; throws when they cannot be read. */
function endOf(m: Uint8Array, start: number): number {
  let at = start + 12
  const skip = () => {
    while (m[at]! !== 0) {
      if (m[at]! >= 192) {
        at += 2
        return
      }
      assert.ok(m[at]! < 64)
      at += m[at]! + 1
    }
    at += 1
  }
  for (let left = m[start + 5]!; left > 0; left--) {
    skip()
    at += 4
  }
  const count = (k: number) => (m[start + k]! << 8) | m[start + k + 1]!
  for (let left = count(6) + count(8) + count(10); left > 0; left--) {
    skip()
    at += 10 + ((m[at + 8]! << 8) | m[at + 9]!)
  }
  return at
}

const nat64 = Uint8Array.from([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])

const guard = 512
const room = 4096

/** An engine that writes between two strips of bytes that have to stay as they are. */
function createGuarded(dice: (below: number) => number) {
  const engine = new Engine({
    policy,
    cache: new AnswerCache(256),
    settings: plainSettings,
    random: (bytes) => bytes.forEach((_, k) => (bytes[k] = dice(256))),
  })
  const out = new Uint8Array(guard + room + guard).fill(0xa5)
  engine.out = out
  engine.outAt = guard
  engine.now = 1_790_000_000_000
  return {
    engine,
    /** Checks what came out of a call. */
    look: (outcome: number, query: Uint8Array): void => {
      if (outcome === Outcome.forward || outcome === Outcome.drop) return
      assert.ok(outcome >= 12 && outcome <= room)
      assert.equal(endOf(out, guard) - guard, outcome)
      assert.equal(out[guard]! * 256 + out[guard + 1]!, query[0]! * 256 + query[1]!)
      assert.equal(out[guard + 2]! & 0x84, 0x80)
    },
    inspectAll: (): void => {
      for (let k = 0; k < guard; k++) assert.ok(out[k] === 0xa5 && out[guard + room + k] === 0xa5, 'written outside')
    },
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

console.log(`# TEST_SEED=${testSeed}`)

describe('a fuzzed engine', () => {
  test('answers, drops or forwards a million packets within its buffers', { timeout: 120_000 }, () => {
    const dice = createDice(testSeed)
    const { engine, look, inspectAll } = createGuarded(dice)
    const packet = new Uint8Array(2048)
    const answer = new Uint8Array(8192)
    const u = new Uint8Array(400)
    const answered: Answered = {
      query: packet,
      queryAt: 0,
      queryLength: 0,
      client: 0,
      answer,
      answerAt: 0,
      answerLength: 0,
    }
    const seen = { dropped: 0, answered: 0, accepted: 0, cached: 0 }
    collect()
    const before = process.memoryUsage()
    for (let k = 0; k < 1_000_000; k++) {
      let n = mutate(dice, queries[dice(queries.length)]!, packet)
      if (k % 16 === 0) {
        n = dice(80)
        for (let at = 0; at < n; at++) packet[at] = dice(256)
      }
      const client = dice(5)
      if (k % 64 === 0) engine.now += 1000
      if (k % 4096 === 0) engine.configure({ ...plainSettings, dns64: k % 8192 === 0 ? undefined : nat64 })
      engine.isStream = k % 5 === 0
      const outcome = engine.handleQuery(packet, 0, n, client)
      look(outcome, packet)
      if (outcome === Outcome.drop) seen.dropped += 1
      else if (outcome !== Outcome.forward) seen.answered += 1
      else {
        const sent = engine.writeUpstream(u, 0, dice(65_536))
        // What comes back starts as it should, and goes on as it pleases; sometimes not even that.
        const body = bodies[dice(bodies.length)]!
        const end = sent - 11
        const length = mutate(dice, body.subarray(10), answer.subarray(end))
        answer.set(u.subarray(0, end))
        answer.set(body.subarray(0, 10), 2)
        answer[5] = 1
        if (dice(8) === 0) answer[dice(end)] = dice(256)
        const cut = dice(8) === 0 ? dice(end + length + 1) : end + length
        const isAccepted = engine.accept(answer, 0, cut, u, 0)
        answered.queryLength = n
        answered.client = client
        answered.answerLength = cut
        if (isAccepted) seen.accepted += 1
        look(isAccepted ? engine.finish(answered) : engine.fail(packet, 0, n, client), packet)
      }
      if ((engine.entry.traits & 1) !== 0) seen.cached += 1
      if (k % 512 === 0) inspectAll()
    }
    inspectAll()
    collect()
    const after = process.memoryUsage()
    assert.ok(after.heapUsed - before.heapUsed < 4 << 20, `heap grew by ${after.heapUsed - before.heapUsed}`)
    assert.ok(after.arrayBuffers - before.arrayBuffers < 1 << 20)
    assert.ok(engine.cache.entries <= engine.cache.size)
    for (const [what, times] of Object.entries(seen)) assert.ok(times > 10_000, `${what}: ${times}`)
  })

  test('finishes any bytes as an answer, even ones it did not accept', () => {
    const dice = createDice(testSeed ^ 0x5555)
    const { engine, look, inspectAll } = createGuarded(dice)
    const answer = new Uint8Array(2048)
    const u = new Uint8Array(300)
    for (let k = 0; k < 200_000; k++) {
      const query = queries[dice(queries.length)]!
      const length = k % 2 === 0 ? mutate(dice, query, answer) : dice(300)
      if (k % 2 === 1) for (let at = 0; at < length; at++) answer[at] = dice(4) === 0 ? dice(256) : dice(4)
      for (let at = 0; at < u.length; at++) u[at] = answer[at]!
      engine.accept(answer, 0, length, u, dice(u.length))
      const answered = {
        query,
        queryAt: 0,
        queryLength: query.length,
        client: 0,
        answer,
        answerAt: 0,
        answerLength: length,
      }
      look(engine.finish(answered), query)
      if (k % 512 === 0) inspectAll()
    }
    inspectAll()
  })

  test('allocates nothing per query', () => {
    const { engine } = createGuarded(createDice(1))
    const asked = ['ads.example', 'b.a.example', 'never.example'].map((name) =>
      encodeMessage({ name, type: T.a, edns: { size: 1232 } }),
    )
    const u = new Uint8Array(300)
    engine.handleQuery(asked[1]!, 0, asked[1]!.length, 1)
    const sent = engine.writeUpstream(u, 0, 1)
    const answer = encodeMessage({
      id: 1,
      flags: 0x8180,
      name: 'b.a.example',
      answers: [cname('b.a.example', 'c.example', 86_400), aRecord('c.example', [203, 0, 113, 1], 86_400)],
    })
    answer.set(u.subarray(12, sent - 15), 12)
    assert.ok(engine.accept(answer, 0, answer.length, u, 0))
    const answered: Answered = {
      query: asked[1]!,
      queryAt: 0,
      queryLength: asked[1]!.length,
      client: 1,
      answer,
      answerAt: 0,
      answerLength: answer.length,
    }
    const round = () => {
      for (const query of asked) engine.handleQuery(query, 0, query.length, 3)
      engine.writeUpstream(u, 100, 2)
      engine.accept(answer, 0, answer.length, u, 0)
      engine.finish(answered)
      engine.fail(asked[2]!, 0, asked[2]!.length, 1)
    }
    const perRound = allocatedPerCall(round, 8)
    assert.ok(perRound < 8, `${perRound} bytes a round`)
  })
})
