import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createSkippingTimers } from '@hearth/runtime'
import { followDns } from './dns-loop.ts'

/** A service with these revisions, one newer with each answer, and a resolver whose takes a test ends. */
function openWorld(revisions: readonly string[]) {
  const end = new AbortController()
  const [asked, taken]: [(string | null)[], string[]] = [[], []]
  const left = [...revisions]
  const resolver = {
    received: null as string | null,
    retry: () => Promise.resolve(),
    take: (_revision: string, _manifest: unknown, _signal: AbortSignal): Promise<void> => Promise.resolve(),
  }
  const link = {
    async send(
      _path: string,
      body: object,
      { answer, signal }: { answer: { parse(value: unknown): never }; signal?: AbortSignal },
    ) {
      const { revision: known } = body as { revision: string | null }
      asked.push(known)
      const next = left.shift()
      if (next === undefined) {
        // Nothing is newer: the wait of the service ends with the request.
        if (resolver.received === revisions.at(-1)) end.abort()
        else if (signal !== undefined) await once(signal, 'abort')
        throw new Error('the request ended')
      }
      return answer.parse({ revision: next, manifest: { files: [] } })
    },
  }
  const log = { warn: () => undefined }
  const run = () => followDns({ link: link as never, resolver, timers: createSkippingTimers(), log }, end.signal)
  return { resolver, asked, taken, run }
}

test('something newer ends a fetch that takes long, and is fetched in its place', async () => {
  const world = openWorld(['one', 'two', 'three'])
  world.resolver.take = async (revision, _, signal) => {
    world.taken.push(revision)
    if (revision !== 'three') {
      await once(signal, 'abort')
      throw signal.reason
    }
    world.resolver.received = revision
  }
  await world.run()
  assert.deepEqual(world.taken, ['one', 'two', 'three'])
  assert.deepEqual(world.asked.slice(0, 3), [null, 'one', 'two'], 'it asks for what is newer than what it fetches')
})

test('a fetch that goes through is not disturbed, and a failure is one of the fetch', async () => {
  const world = openWorld(['one', 'one'])
  let isFailing = true
  world.resolver.take = async (revision, _, signal) => {
    world.taken.push(revision)
    assert.equal(signal.aborted, false)
    if (isFailing) {
      isFailing = false
      throw new Error('the disk is full')
    }
    world.resolver.received = revision
  }
  await world.run()
  assert.deepEqual(world.taken, ['one', 'one'])
})
