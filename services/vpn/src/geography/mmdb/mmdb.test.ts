import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { MmdbError } from './mmdb-value.ts'
import { openMmdb } from './mmdb.ts'

const folder = join(import.meta.dirname, '../../../test/data/geo')
const names = ['GeoLite2-Country', 'GeoLite2-City', 'GeoLite2-ASN']
const bytesOf = (name: string) => readFileSync(join(folder, `${name}.mmdb`))

for (const name of names) {
  test(`every network of ${name} matches the list beside it`, () => {
    const database = openMmdb(bytesOf(`${name}-Test`))
    assert.equal(database.type, name)
    assert.ok(new Date(database.buildEpoch * 1000).getUTCFullYear() > 2015)
    const listed: Record<string, unknown>[] = JSON.parse(readFileSync(join(folder, `${name}-Test.json`), 'utf8'))
    let checked = 0
    for (const [network, value] of listed.flatMap((entry) => Object.entries(entry))) {
      assert.deepEqual(database.get(network.replace(/\/\d+$/, '')), value, network)
      checked += 1
    }
    assert.ok(checked > 100)
  })
}

test('unknown networks and invalid addresses have no result', () => {
  const database = openMmdb(bytesOf('GeoLite2-ASN-Test'))
  for (const address of ['127.0.0.1', '10.0.0.1', '', 'example.org', '1.2.3', '::1'])
    assert.equal(database.get(address), undefined, address)
  assert.deepEqual(database.get('::ffff:1.128.0.1'), database.get('1.128.0.1'))
  assert.notEqual(database.get('1.128.0.1'), undefined)
})

/** Opens a file and looks up addresses all over; what is damaged must show as such, soon. */
function survive(bytes: Buffer): void {
  const addresses = Array.from({ length: 64 }, (_, part) => [`${part * 4}.128.3.4`, `2a02:${part.toString(16)}00::1`])
  try {
    const database = openMmdb(bytes)
    for (const address of addresses.flat()) {
      try {
        database.get(address)
      } catch (error) {
        assert.ok(error instanceof MmdbError, String(error))
      }
    }
  } catch (error) {
    assert.ok(error instanceof MmdbError, String(error))
  }
}

test('cyclic databases, text files and partial databases are rejected', () => {
  survive(bytesOf('bad-cyclic'))
  survive(Buffer.from('not a database'))
  survive(Buffer.alloc(0))
  const whole = bytesOf('GeoLite2-City-Test')
  for (const part of [0.1, 0.5, 0.9, 0.999]) {
    survive(whole.subarray(0, Math.floor(whole.length * part)))
    survive(whole.subarray(Math.floor(whole.length * part)))
  }
})

test('corrupted bytes cause no hang and only database errors', () => {
  const whole = bytesOf('GeoLite2-City-Test')
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(damage, (changes) => {
      const copy = Buffer.from(whole)
      for (const [at, value] of changes) copy[at] = value
      survive(copy)
    }),
    { numRuns: 60 },
  )
})

test('a record that doubles with every pointer level is rejected early, in the metadata too', () => {
  const pointerTo = (offset: number) => Buffer.from([0x20 | (offset >> 8), offset & 255])
  const levels = 28
  const offsetOf = (level: number) => 5 + level * 6
  // A map of one member that points to an array of two pointers to an array of two pointers …
  const parts = [
    Buffer.from([0xe1, 0x41, 0x61]),
    pointerTo(offsetOf(levels - 1)),
    Buffer.from('\x41x\0\0\0\0', 'latin1'),
  ]
  for (let level = 1; level < levels; level += 1) {
    const below = pointerTo(offsetOf(level - 1))
    parts.push(Buffer.from([0x02, 0x04]), below, below)
  }
  const bomb = Buffer.concat([Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), ...parts])
  const begin = performance.now()
  assert.throws(() => openMmdb(bomb), /has no end/)
  assert.ok(performance.now() - begin < 1000)
})
