import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createRingMemory, LogRing, type LogEntry } from './log-ring.ts'

const entry = fc
  .record({
    status: fc.integer({ min: 0, max: 1 }),
    reason: fc.integer({ min: 0, max: 9 }),
    source: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    traits: fc.integer({ min: 0, max: 255 }),
    rcode: fc.integer({ min: 0, max: 23 }),
    type: fc.integer({ min: 0, max: 65_535 }),
    client: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    at: fc.integer({ min: 0, max: 4e12 }),
    micros: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    upstream: fc.integer({ min: 0, max: 31 }),
    name: fc.uint8Array({ minLength: 1, maxLength: 255 }),
  })
  .map((fields): LogEntry => Object.assign(fields, { nameLength: fields.name.length }))

const copyOf = ({ name, ...rest }: LogEntry) => ({ ...rest, name: [...name.subarray(0, rest.nameLength)] })

test('entries come out in order for any batches, also around the end of the ring', () => {
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 8 }), { maxLength: 40 }), (batches) => {
      const memory = createRingMemory(8192)
      const [writer, reader] = [new LogRing(memory), new LogRing(memory)]
      const seen: unknown[] = []
      for (const batch of batches) {
        for (const one of batch) writer.append(one)
        writer.publish()
        reader.drain((one) => seen.push(copyOf(one)))
      }
      assert.deepEqual(seen, batches.flat().map(copyOf))
      assert.equal(writer.lost(), 0)
    }),
  )
})

test('an unread ring keeps what fits, counts the rest, and continues once it is read', () => {
  const memory = createRingMemory(4096)
  const ring = new LogRing(memory)
  const one: LogEntry = {
    status: 1,
    reason: 2,
    source: 7,
    traits: 0,
    rcode: 0,
    type: 1,
    client: 5,
    at: 1000,
    micros: 9,
    upstream: 0,
    name: new Uint8Array([1, 97, 0]),
    nameLength: 3,
  }
  for (let n = 0; n < 1000; n++) ring.append({ ...one, source: n })
  ring.publish()
  const sources: number[] = []
  assert.equal(
    ring.drain(({ source }) => sources.push(source)),
    1000 - ring.lost(),
  )
  assert.ok(ring.lost() > 0)
  assert.deepEqual(
    sources,
    sources.map((_, n) => n),
  )
  ring.append(one)
  ring.publish()
  assert.equal(
    ring.drain(() => undefined),
    1,
  )
})

test('entries are kept until they are released and can be read again', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), fc.nat(), (entries, number) => {
      const ring = new LogRing(createRingMemory(16_384))
      for (const one of entries) ring.append(one)
      ring.publish()
      const first = number % (entries.length + 1)
      const read = (most?: number) => {
        const seen: unknown[] = []
        ring.refresh()
        ring.read((one) => seen.push(copyOf(one)), most)
        return seen
      }
      assert.deepEqual(read(first), entries.slice(0, first).map(copyOf))
      ring.rewind()
      assert.deepEqual(read(first), entries.slice(0, first).map(copyOf))
      ring.release()
      read()
      ring.rewind()
      assert.deepEqual(read(), entries.slice(first).map(copyOf))
      ring.release()
      assert.equal(ring.waiting(), 0)
    }),
  )
})
