import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { createChallenges } from './challenges.ts'

onBothDatabases(async ({ query: db }, name) => {
  await test(`${name}: ten thousand ceremonies are under way at most, and two minutes later there is room again`, async () => {
    const clock = createManualClock(1_800_000_000_000)
    const challenges = createChallenges(db, clock)
    const expires_at = clock.now() + 120_000
    for (let block = 0; block < 20; block += 1) {
      const rows = Array.from({ length: 500 }, (_, index) => ({
        challenge: `${block}-${index}`,
        ceremony: 'login' as const,
        session_hash: `${block}-${index}`,
        user_id: null,
        expires_at,
      }))
      await db.insertInto('challenges').values(rows).execute()
    }
    const begin = () => challenges.create({ kind: 'login', key: 'mine', userId: null })
    await assert.rejects(begin(), /Too many sign-ins are under way/)
    clock.advance(120_001)
    assert.equal((await begin()).length, 43)
  })
})
