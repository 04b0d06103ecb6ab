import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StateWaiters } from './state-waiters.ts'

const long = 60_000
const { signal: never } = new AbortController()

test('a change wakes the request of its node alone; one between the reading and the wait is not missed', async () => {
  const waiters = new StateWaiters()
  using berlin = waiters.begin('berlin', never)
  using paris = waiters.begin('paris', never)
  const { changes } = berlin
  waiters.changed('berlin')
  assert.equal(await berlin.next(changes, long), true)
  const waiting = [berlin.next(berlin.changes, long), paris.next(paris.changes, 20)]
  waiters.changed('berlin')
  assert.deepEqual(await Promise.all(waiting), [true, false])
})

test('a newer request, one that its node gave up, a removed node and the end of the service end a wait', async () => {
  const waiters = new StateWaiters()
  using older = waiters.begin('berlin', never)
  const first = older.next(older.changes, long)
  const given = new AbortController()
  using newer = waiters.begin('berlin', given.signal)
  assert.equal(await first, false)
  assert.equal(await older.next(older.changes, long), false, 'it does not wait again')
  const second = newer.next(newer.changes, long)
  given.abort()
  assert.equal(await second, false)

  using removed = waiters.begin('berlin', never)
  const third = removed.next(removed.changes, long)
  waiters.forget('berlin')
  assert.equal(await third, false)
  using last = waiters.begin('rome', never)
  const fourth = last.next(last.changes, long)
  waiters.close()
  assert.equal(await fourth, false)
  assert.equal(await last.next(last.changes, long), false)
})
