import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { LoggedEntry } from './link-schema.ts'
import { NodeQueries, type NodeQueriesDependencies } from './node-queries.ts'
import type { NodeRow } from './tables.ts'

const now = 1_800_000_000_000
const query: LoggedEntry = [
  now - 1000,
  0,
  Buffer.from('\x01a\0', 'latin1').toString('base64url'),
  1,
  0,
  0,
  0,
  0,
  0,
  null,
  9,
]
const batch = (number: number) => ({ count: randomUUID(), number, sent_at: now, entries: [query] })
const node = (name: string) => ({ id: name, name }) as NodeRow

test('a node has one batch under way, so that one that sends many leaves the others their places', async () => {
  const { promise: isWritten, resolve: write } = Promise.withResolvers<void>()
  const queries = new NodeQueries({
    // Queries of nobody are looked up nowhere.
    db: undefined as unknown as NodeQueriesDependencies['db'],
    clock: { now: () => now },
    log: { warn: () => undefined },
    placement: { leftAt: () => undefined },
    write: ({ number }) => isWritten.then(() => number),
  })
  const first = queries.take(node('Berlin'), batch(1))
  const more = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) => queries.take(node('Berlin'), batch(n + 2))),
  )
  for (const one of more)
    assert.match(one.status === 'rejected' ? String(one.reason) : 'taken', /Another batch of this node/)
  const other = queries.take(node('Paris'), batch(7))
  write()
  assert.deepEqual(await Promise.all([first, other]), [1, 7])
  assert.equal(await queries.take(node('Berlin'), batch(2)), 2)
})
