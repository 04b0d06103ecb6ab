import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers, createLog } from '@hearth/runtime'
import type { CatalogObject } from '../src/catalog/catalog.ts'
import { Link } from '../src/link/link.ts'
import { apiValueOf, type ApiValue } from '../src/metrics/value.ts'
import { createFrameParser } from '../src/protocol/parser.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog } from './in-process.ts'

/** A request and its answer as received. */
interface Exchange {
  readonly object: CatalogObject
  readonly answer: Buffer
  readonly value: ApiValue
}

/** Objects of all types, evenly over the catalog. */
const asked = catalog.objects.filter((_, index) => index % 4 === 0).slice(0, 200)

/** Some texts are so long that they come as long answers, most of which declare a wrong length. */
const longTexts = Object.fromEntries(
  asked
    .filter(({ type, structHint }) => type === 'string' && structHint === undefined)
    .map(({ name }, index) => [
      name,
      Buffer.from(`${name} `.repeat(20))
        .toString('hex')
        .padEnd(520 + 2 * index, '00'),
    ]),
)

/** Reads the objects from a simulated inverter whose clock stands nearly still, so that every run sees the same bytes. */
async function recordExchanges(): Promise<Exchange[]> {
  const timers = createFastTimers(1, Date.UTC(2026, 5, 1, 12))
  const simulator = await startSimulator({
    port: 0,
    timers,
    catalog,
    faults: { latencyMs: 0, frozenPlant: true, payloads: longTexts },
  })
  let last = Buffer.alloc(0)
  const link = new Link({
    host: '127.0.0.1',
    port: simulator.port,
    gapMs: 0,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    onFrame: (direction, _frame, bytes) => {
      if (direction === 'received') last = Buffer.from(bytes)
    },
  })
  const exchanges: Exchange[] = []
  for (const object of asked) {
    const payload = await link.read(object.objectId, { address: undefined, priority: 'normal' })
    exchanges.push({ object, answer: last, value: apiValueOf(object, payload) })
  }
  await link.close()
  await simulator.close()
  return exchanges
}

/** Values that the link would accept from these bytes, and the number of errors and discarded bytes. */
function acceptedFrom(bytes: Uint8Array, object: CatalogObject): { values: ApiValue[]; damage: number } {
  const values: ApiValue[] = []
  const parser = createFrameParser({
    onFrame(frame) {
      const isResponse = frame.command === 'response' || frame.command === 'long-response'
      if (!isResponse || frame.objectId !== object.objectId || frame.address !== undefined) return
      try {
        values.push(apiValueOf(object, frame.payload))
      } catch {
        // Refused as no value of its type.
      }
    },
  })
  parser.push(bytes)
  parser.idle()
  const { crcErrors, framingErrors, discardedBytes } = parser.counters
  return { values, damage: crcErrors + framingErrors + discardedBytes + parser.heldBytes }
}

function assertNoWrongValue({ object, answer, value }: Exchange, next: Uint8Array): void {
  for (let bit = 0; bit < answer.length * 8; bit += 1) {
    const flipped = Buffer.from(answer)
    flipped[bit >> 3]! ^= 0x80 >> (bit % 8)
    const { values, damage } = acceptedFrom(Buffer.concat([flipped, next]), object)
    for (const accepted of values) assert.deepEqual(accepted, value, `${object.name}, bit ${bit}`)
    assert.ok(damage > 0, `${object.name}, bit ${bit} went by unseen`)
  }
}

test('6 no single flipped bit in 200 recorded answers yields a wrong value', async (t) => {
  const exchanges = await recordExchanges()
  assert.equal(exchanges.length, 200)
  assert.ok(new Set(exchanges.map(({ object }) => object.type)).size >= 6)
  assert.ok(exchanges.filter(({ answer }) => answer[1] === 0x06).length >= 5)
  await t.test('undamaged, each answer is read as its value', () => {
    for (const { object, answer, value } of exchanges)
      assert.deepEqual(acceptedFrom(answer, object), { values: [value], damage: 0 })
  })
  await t.test('followed by silence', () => {
    for (const exchange of exchanges) assertNoWrongValue(exchange, new Uint8Array(0))
  })
  await t.test('followed by the next answer', () => {
    for (const [index, exchange] of exchanges.entries())
      assertNoWrongValue(exchange, exchanges[(index + 1) % exchanges.length]!.answer)
  })
})
