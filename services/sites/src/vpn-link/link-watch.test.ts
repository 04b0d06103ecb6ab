import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSkippingTimers } from '@hearth/runtime'
import { LinkWatch, type LinkObservation } from './link-watch.ts'

const minute = 60_000
const away = { kind: 'away', message: 'The VPN is away.' } as const
const token = { kind: 'token', message: 'The VPN does not know the token.' } as const

function openWatch() {
  const timers = createSkippingTimers()
  const told: string[] = []
  const watch = new LinkWatch({
    timers,
    onBegan: ({ kind }) => void told.push(`began ${kind}`),
    onEnded: () => void told.push('ended'),
    onUnlinked: () => void told.push('unlinked'),
  })
  return {
    told,
    /** Observes so many minutes, one after the other. */
    see: async (observed: LinkObservation, minutes: number) => {
      for (let left = minutes; left > 0; left -= 1) {
        watch.observe(observed)
        await timers.delay(minute)
      }
      return told.splice(0)
    },
  }
}

test('a link that fails for ten minutes is told once, and once more when it has worked for two', async () => {
  const { see } = openWatch()
  assert.deepEqual(await see('good', 5), ['ended'], 'after a start, for what was told before')
  assert.deepEqual(await see(away, 9), [])
  assert.deepEqual(await see(away, 60), ['began away'])
  assert.deepEqual(await see('good', 1), [])
  assert.deepEqual(await see('good', 60), ['ended'])
})

test('short failures are not told, and neither is a link that comes and goes', async () => {
  const { see } = openWatch()
  await see('good', 5)
  for (let round = 0; round < 5; round += 1) assert.deepEqual([...(await see(away, 5)), ...(await see('good', 1))], [])
  assert.deepEqual(await see(away, 11), ['began away'])
  for (let round = 0; round < 5; round += 1) assert.deepEqual([...(await see('good', 1)), ...(await see(away, 20))], [])
  assert.deepEqual(await see('good', 5), ['ended'])
})

test('the message says what is wrong when it is sent, and another reason is no other message', async () => {
  const { see } = openWatch()
  assert.deepEqual([...(await see(away, 5)), ...(await see(token, 10))], ['began token'])
  assert.deepEqual(await see(away, 30), [])
})

test('a link that is ended has nothing to say', async () => {
  const { see } = openWatch()
  assert.deepEqual(await see(away, 20), ['began away'])
  assert.deepEqual(await see('unlinked', 20), ['unlinked'])
  assert.deepEqual(await see(away, 5), [])
  assert.deepEqual(await see('unlinked', 20), ['unlinked'])
})
