import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientOf } from '../../../test/dns-policies.ts'
import { buildClientTable, openClientTable } from './client-table.ts'

const bytes6 = (...words: number[]): Uint8Array => Uint8Array.from(words.flatMap((word) => [word >> 8, word & 255]))

describe('the table of clients', () => {
  const lists = [
    { number: 0, id: 'ads' },
    { number: 31, id: 'adult' },
  ]

  test('finds thousands by each of their addresses, and nobody else', () => {
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

  test('knows lists, filtering and logging; takes mapped addresses for what they are', () => {
    const table = openClientTable(
      buildClientTable(
        [
          clientOf(2 ** 31 - 1, {
            addresses: ['192.168.255.254/32', 'nonsense'],
            lists: ['adult', 'unknown'],
            logging: false,
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

  test('does not take other memory for a table', () => {
    assert.throws(() => openClientTable(new SharedArrayBuffer(64)), /no table of clients/)
    const memory = buildClientTable([clientOf(1)], lists)
    const cut = new SharedArrayBuffer(memory.byteLength - 8)
    new Uint8Array(cut).set(new Uint8Array(memory).subarray(0, cut.byteLength))
    assert.throws(() => openClientTable(cut), /cut off/)
  })
})
