import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClientTable } from '../dns/policy/client-table.ts'
import { ClientsInForce } from './clients-in-force.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'
import { emptyBundle } from '../dns/policy/list-bundle.ts'

const client = (number: number): ResolverClient => {
  const addresses = [`10.8.${number >> 8}.${number & 255}`]
  return { number, id: `p${number}`, name: `peer ${number}`, addresses, filtering: true, lists: null, logging: true }
}
const first = 0x0a08_0000

/** A thread that takes in what it is told when the test says so; it reads whatever table it took in last. */
function createReader(memory: SharedArrayBuffer) {
  let waiting = [memory]
  const reader = {
    notified: 0,
    seen: 0,
    tell(table: SharedArrayBuffer) {
      reader.notified += 1
      waiting.push(table)
    },
    takeIn() {
      reader.seen = reader.notified
      waiting = waiting.slice(-1)
    },
    finds: (address: number) => {
      const table = openClientTable(waiting[0]!)
      return table.numberOf(table.find4(address))
    },
  }
  return reader
}

test('a reader never sees a table change, and changes reuse memory the reader has left', () => {
  const clients = new ClientsInForce([client(1), client(2)], emptyBundle())
  const reader = createReader(clients.table(emptyBundle()))
  const memories = new Set<SharedArrayBuffer>()
  const change = (set: readonly number[], removed: readonly number[]) => {
    const memory = clients.change({ set: set.map(client), removed }, reader)
    memories.add(memory)
    reader.tell(memory)
  }
  reader.takeIn()
  for (let round = 0; round < 50; round += 1) {
    change([3], [1])
    assert.deepEqual(
      [1, 2, 3].map((number) => reader.finds(first + number)),
      [1, 2, 0],
      'not taken in yet',
    )
    reader.takeIn()
    assert.deepEqual(
      [1, 2, 3].map((number) => reader.finds(first + number)),
      [0, 2, 3],
    )
    change([1], [3])
    reader.takeIn()
  }
  assert.ok(memories.size <= 3, `${memories.size} tables`)
  for (let round = 0; round < 20; round += 1) change([3], [1])
  assert.deepEqual(
    [1, 2, 3].map((number) => reader.finds(first + number)),
    [1, 2, 0],
    'a reader that sleeps',
  )
})

test('thousands of extra clients, or other lists, create a new table', () => {
  const lists = emptyBundle()
  const clients = new ClientsInForce([], lists)
  const reader = createReader(clients.table(lists))
  for (let number = 1; number <= 3000; number += 1) {
    reader.tell(clients.change({ set: [client(number)], removed: [] }, reader))
    reader.takeIn()
  }
  assert.deepEqual(
    [1, 1500, 3000, 3001].map((number) => reader.finds(first + number)),
    [1, 1500, 3000, 0],
  )
  assert.equal(clients.all().length, 3000)
  const before = clients.table(lists)
  assert.equal(clients.table(lists), before)
  assert.notEqual(clients.table(emptyBundle()), before)
})
