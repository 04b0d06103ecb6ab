import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, openIntake, wanted, type Where } from '../../test/intake-fixture.ts'
import { insertPause } from '../pauses/store.ts'

function onDatabase({ name, skip, createLocation }: Where): void {
  test(`${name}: a pause that is over lets the next medium of a list be the one that is tried`, { skip }, async () => {
    await using place = await openIntake(await createLocation())
    const now = place.timers.now()
    const pause = { platform: 'youtube', reason: 'rate_limited', refusals: 1, began_at: now } as const
    await insertPause(place.database.query, {
      ...pause,
      paused_until: now + 60_000,
      probe_job: null,
      probe_attempt: null,
    })
    await place.add(wanted('a'))
    assert.deepEqual(await place.feed(), [], 'the platform is paused')
    place.timers.jump(60_001)
    assert.deepEqual(await place.feed(), ['youtube:a'], 'no job waits that could be tried')
  })
}

for (const where of bothDatabases) onDatabase(where)
