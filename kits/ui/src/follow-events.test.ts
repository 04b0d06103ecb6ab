import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { followEvents } from './follow-events.ts'

type Event = { type: 'hello' } | { type: 'edited'; name: string }

test('a second hello reloads all data, and a burst of edit events reloads each collection once', async () => {
  const cache = new QueryClient()
  const read: unknown[] = []
  cache.invalidateQueries = (filters) => {
    read.push(filters?.queryKey ?? 'everything')
    return Promise.resolve()
  }
  const onEvent = followEvents<Event>(({ name }, { refresher }) => refresher.note(name))
  onEvent({ type: 'hello' }, cache)
  assert.deepEqual(read, [])
  for (const name of ['peers', 'peers', 'journal main']) onEvent({ type: 'edited', name }, cache)
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = setInterval(() => read.length > 0 && resolve(), 10)
  await promise
  clearInterval(watch)
  assert.deepEqual(read, [['peers'], ['journal', 'main']])
  onEvent({ type: 'hello' }, cache)
  assert.equal(read.at(-1), 'everything')
})
