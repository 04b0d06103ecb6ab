import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { clientOf } from '../../../test/dns-policies.ts'
import { buildClientTable, changeClientTable } from './client-table-memory.ts'
import { openClientTable, type ClientRecord } from './client-table.ts'

const bytes6 = (...words: number[]): Uint8Array => Uint8Array.from(words.flatMap((word) => [word >> 8, word & 255]))

describe('the client table', () => {
  const lists = [
    { number: 0, id: 'ads' },
    { number: 31, id: 'adult' },
  ]

  test('finds thousands of clients by each address, and no others', () => {
    const clients = Array.from({ length: 5000 }, (_, k) =>
      clientOf(k + 1, { addresses: [`10.8.${k >> 8}.${k & 255}`, `fd00:1::${k.toString(16)}/64`] }),
    )
    const table = openClientTable(buildClientTable(clients, lists))
    for (let k = 0; k < 5000; k++) {
      assert.equal(table.numberOf(table.find4(0x0a08_0000 + k)), k + 1)
      assert.equal(table.numberOf(table.find6(bytes6(0xfd00, 1, 0, 0, 0, 0, 0, k), 0)), k + 1)
      assert.equal(table.numberOf(table.indexOf(k + 1)), k + 1)
    }
    assert.equal(table.find4(0x0a08_0000 + 5000), 0)
    assert.equal(table.find6(bytes6(0xfd00, 2, 0, 0, 0, 0, 0, 1), 0), 0)
    assert.equal(table.indexOf(5001), 0)
  })

  test('holds lists, filtering and logging, and recognises IPv4-mapped addresses', () => {
    const table = openClientTable(
      buildClientTable(
        [
          clientOf(2 ** 31 - 1, {
            addresses: ['192.168.255.254/32', 'nonsense'],
            lists: ['adult', 'unknown'],
            logging: false,
            gateway: '192.168.7.1',
          }),
          clientOf(5, { addresses: ['::ffff:172.16.0.1', '192.168.255.254'], filtering: false }),
        ],
        lists,
      ),
    )
    const first = table.find6(bytes6(0, 0, 0, 0, 0, 0xffff, 0xc0a8, 0xfffe), 0)
    assert.equal(table.numberOf(first), 2 ** 31 - 1)
    assert.equal(table.listsOf(first), -(2 ** 31))
    assert.deepEqual([table.isFiltered(first), table.isLogged(first)], [true, false])
    const second = table.find4(0xac10_0001)
    assert.deepEqual([table.numberOf(second), table.listsOf(second), table.isFiltered(second)], [5, -1, false])
    assert.deepEqual([table.numberOf(0), table.listsOf(0), table.isFiltered(0), table.isLogged(0)], [0, -1, true, true])
  })

  test('gives the same results after in-place changes as a rebuilt table', () => {
    const numbers = fc.integer({ min: 1, max: 12 })
    const client = fc.record({
      number: numbers,
      // Few addresses, so that they are taken over, and far apart or close together.
      addresses: fc.uniqueArray(fc.constantFrom(...addresses), { maxLength: 3 }),
      lists: fc.constantFrom(null, [], ['ads'], ['adult', 'unknown']),
      filtering: fc.boolean(),
      logging: fc.boolean(),
      gateway: fc.constantFrom('10.8.0.1', '192.168.7.1'),
    })
    const change = fc.oneof(client, numbers)
    fc.assert(
      fc.property(
        fc.array(client, { maxLength: 8 }),
        fc.array(fc.array(change, { maxLength: 4 })),
        (start, batches) => {
          const known = new Map<number, ClientRecord>()
          for (const each of start) put(known, each)
          let memory = buildClientTable([...known.values()], lists)
          for (const batch of batches) {
            const before = new Map(known)
            for (const each of batch) put(known, each)
            const touched = new Set([...before.keys(), ...known.keys()])
            const changes = [...touched].map((number) => ({ before: before.get(number), after: known.get(number) }))
            const changed = changes.filter((each) => each.before !== each.after)
            if (!changeClientTable(memory, changed, { lists, audiences: [] }))
              memory = buildClientTable([...known.values()], lists)
            compareTables(memory, buildClientTable([...known.values()], lists))
          }
        },
      ),
    )
  })

  test('reports when it is full', () => {
    const clients = Array.from({ length: 40 }, (_, k) => clientOf(k + 1, { addresses: [`10.8.0.${k}`] }))
    const memory = buildClientTable(clients.slice(0, 8), lists)
    const added = (from: number, to: number) => clients.slice(from, to).map((after) => ({ before: undefined, after }))
    assert.equal(changeClientTable(memory, added(8, 24), { lists, audiences: [] }), true)
    assert.equal(openClientTable(memory).numberOf(openClientTable(memory).find4(0x0a08_0017)), 24)
    assert.equal(changeClientTable(memory, added(24, 25), { lists, audiences: [] }), false)
  })

  test('rejects memory that is not a client table', () => {
    assert.throws(() => openClientTable(new SharedArrayBuffer(64)), /no table of clients/)
    const memory = buildClientTable([clientOf(1)], lists)
    const cut = new SharedArrayBuffer(memory.byteLength - 8)
    new Uint8Array(cut).set(new Uint8Array(memory).subarray(0, cut.byteLength))
    assert.throws(() => openClientTable(cut), /cut off/)
  })
})

const addresses = [
  ...Array.from({ length: 12 }, (_, n) => `10.8.${n % 3}.${n * 20}`),
  ...Array.from({ length: 12 }, (_, n) => `fd00::${n % 4}:${n}`),
]

/** Gives a client its addresses, taken from whoever had them; a bare number takes the client away. */
function put(known: Map<number, ClientRecord>, each: ClientRecord | number): void {
  if (typeof each === 'number') return void known.delete(each)
  for (const [number, other] of known) {
    const left = other.addresses.filter((address) => !each.addresses.includes(address))
    if (left.length < other.addresses.length) known.set(number, { ...other, addresses: left })
  }
  known.set(each.number, each)
}

function compareTables(one: SharedArrayBuffer, other: SharedArrayBuffer): void {
  const [a, b] = [openClientTable(one), openClientTable(other)].map((table) => {
    const said = (index: number) => [
      table.numberOf(index),
      table.listsOf(index),
      table.isFiltered(index),
      table.isLogged(index),
      table.gatewayOf(index),
    ]
    const byNumber = Array.from({ length: 13 }, (_, number) => said(table.indexOf(number)))
    const byAddress = addresses.map((address) => {
      if (!address.includes(':')) {
        const [x = 0, y = 0, z = 0, w = 0] = address.split('.').map(Number)
        return said(table.find4((x << 24) | (y << 16) | (z << 8) | w))
      }
      const [, , high = '0', low = '0'] = address.split(':')
      return said(table.find6(bytes6(0xfd00, 0, 0, 0, 0, 0, Number.parseInt(high, 16), Number.parseInt(low, 16)), 0))
    })
    return { byNumber, byAddress }
  })
  assert.deepEqual(a, b)
}
