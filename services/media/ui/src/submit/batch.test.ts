import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batch, type Submitted } from './batch.ts'

const added = (jobId: string): Submitted => ({ kind: 'added', jobId, title: null })
const finished = (batch: Batch) =>
  new Promise<void>((resolve) => {
    const look = () => (batch.state().isRunning ? undefined : resolve())
    batch.subscribe(look)
    look()
  })
const states = (batch: Batch) => batch.state().items.map(({ state }) => state)

test('URLs are submitted one after the other, each with its result', async () => {
  const batch = new Batch(() => Promise.resolve())
  const sent: string[] = []
  batch.start(['a', 'b', 'c'], (address) => {
    sent.push(address)
    if (address === 'b') return Promise.resolve({ kind: 'failed', message: 'not supported' })
    return Promise.resolve(address === 'c' ? { kind: 'duplicate', jobId: '7', title: 'Song' } : added('1'))
  })
  await finished(batch)
  assert.deepEqual(sent, ['a', 'b', 'c'])
  assert.deepEqual(states(batch), ['added', 'failed', 'duplicate'])
  assert.equal(batch.state().items[1]?.message, 'not supported')
})

test('a pause requested by the server is observed, and the same URL is sent next', async () => {
  const pauses: number[] = []
  const batch = new Batch(
    (seconds) => {
      pauses.push(seconds, batch.state().pausedUntil ?? 0)
      return Promise.resolve()
    },
    () => 1000,
  )
  let tries = 0
  batch.start(['a', 'b'], (address) => {
    tries += 1
    return Promise.resolve(tries === 2 ? { kind: 'pause', seconds: 20 } : added(address))
  })
  await finished(batch)
  assert.deepEqual(pauses, [20, 21_000])
  assert.equal(tries, 3)
  assert.deepEqual(states(batch), ['added', 'added'])
  assert.equal(batch.state().pausedUntil, undefined)
})

test('an existing download is submitted after confirmation', async () => {
  const batch = new Batch(() => Promise.resolve())
  batch.start(['a'], (_, isConfirmed) =>
    Promise.resolve(isConfirmed ? added('2') : { kind: 'duplicate', jobId: '1', title: null }),
  )
  await finished(batch)
  batch.again('a')
  await finished(batch)
  assert.deepEqual(batch.state().items, [{ address: 'a', state: 'added', jobId: '2', title: null }])
})

test('stopping during a pause skips the unsent URLs', async () => {
  const batch = new Batch(
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  )
  batch.start(['a', 'b', 'c'], (address) =>
    Promise.resolve(address === 'a' ? added('1') : { kind: 'pause', seconds: 60 }),
  )
  await new Promise<void>((resolve) => {
    batch.subscribe(() => batch.state().pausedUntil !== undefined && resolve())
  })
  batch.stop()
  await finished(batch)
  assert.deepEqual(states(batch), ['added'])
  batch.clear()
  assert.deepEqual(batch.state().items, [])
})
