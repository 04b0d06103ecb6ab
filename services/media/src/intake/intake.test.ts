import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, followedList, openIntake, wanted, type Where } from '../../test/intake-fixture.ts'
import { finishedJob } from '../../test/job-row.ts'
import { deleteFollow, insertFollow } from '../follows/store.ts'
import { insertJob } from '../jobs/store.ts'
import { insertPause } from '../pauses/store.ts'
import { maxItems } from './intake.ts'

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

  test(`${name}: while the disk is nearly full nothing becomes a job, and nothing is lost`, { skip }, async () => {
    let hasSpace = false
    await using place = await openIntake(await createLocation(), { hasSpace: () => Promise.resolve(hasSpace) })
    await place.add(wanted('a'))
    assert.deepEqual([await place.feed(), (await place.intake.status()).waiting], [[], 1])
    hasSpace = true
    assert.deepEqual([await place.feed(), (await place.intake.status()).waiting], [['youtube:a'], 0])
  })

  test(
    `${name}: an import fetches a medium anew whose file was deleted, a followed list does not`,
    { skip },
    async () => {
      await using place = await openIntake(await createLocation())
      const db = place.database.query
      const list = followedList()
      await insertFollow(db, list)
      for (const [id, artifact] of [
        ['stored', 'source.m4a'],
        ['gone', null],
        ['followed', null],
      ] as const)
        await insertJob(db, finishedJob({ media_key: `youtube:${id}`, artifact }))
      await insertJob(db, finishedJob({ media_key: 'youtube:running', status: 'downloading', artifact: null }))
      await place.add(wanted('stored'), wanted('gone'), wanted('running'), wanted('followed', { listId: list.id }))
      // A round makes one job of a platform.
      await place.feed()
      assert.deepEqual(
        await place.feed(),
        ['followed', 'gone', 'gone', 'running', 'stored'].map((id) => `youtube:${id}`),
      )
      assert.equal((await place.intake.status()).waiting, 0)
    },
  )

  test(`${name}: what others want as well stays when a list is followed no longer`, { skip }, async () => {
    await using place = await openIntake(await createLocation())
    const list = followedList()
    await insertFollow(place.database.query, list)
    const own = ['a', 'b'].map((id) => wanted(id, { listId: list.id }))
    assert.equal((await place.add(...own)).size, 2)
    assert.equal((await place.add(wanted('b'), wanted('c'))).size, 1, 'one of them waits already')
    await deleteFollow(place.database.query, list.id)
    assert.equal((await place.intake.status()).waiting, 2, 'b and c')
  })

  test(`${name}: what two add at once does not exceed the room`, { skip }, async () => {
    await using place = await openIntake(await createLocation())
    const { database, intake } = place
    const fill = (part: number) =>
      database.query.transaction().execute(async (trx) => {
        const room = await intake.room(trx)
        const media = Array.from({ length: 3000 }, (_, index) => wanted(`${part}-${index}`))
        return (await intake.add(trx, media.slice(0, room))).size
      })
    assert.equal(
      (await Promise.all([fill(1), fill(2)])).reduce((sum, count) => sum + count),
      maxItems,
    )
  })

  test(`${name}: a clock that is put back, or a shorter spacing, lets nothing wait longer`, { skip }, async () => {
    await using place = await openIntake(await createLocation())
    place.pace.list_spacing_seconds = 3600
    await place.add(wanted('a'), wanted('b'), wanted('c'))
    assert.deepEqual([(await place.feed()).length, (await place.feed()).length], [1, 1])
    assert.ok((await place.intake.status()).platforms[0]!.seconds_left >= 3590)
    place.timers.jump(-86_400_000)
    assert.equal((await place.intake.status()).platforms[0]?.seconds_left, 0)
    assert.equal((await place.feed()).length, 2)
    place.pace.list_spacing_seconds = 5
    assert.equal((await place.feed()).length, 3)
  })
}

for (const where of bothDatabases) onDatabase(where)
