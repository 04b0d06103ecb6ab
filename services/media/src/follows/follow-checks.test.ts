import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { sql } from 'kysely'
import { bothDatabases, followedList, openIntake, wanted, type Where } from '../../test/intake-fixture.ts'
import type { ReadList } from '../lists/media-lists.ts'
import { createPlatformHosts } from '../platforms/platform-hosts.ts'
import type { FollowedListRow } from '../tables.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { FollowChecks } from './follow-checks.ts'
import { Follows } from './follows.ts'
import { insertFollow, listFollows, rememberMedia } from './store.ts'

const minute = 60_000

const readList = (ids: readonly string[], more: Partial<ReadList> = {}): ReadList => ({
  title: 'A list',
  members: ids.map((id) => ({ media: wanted(id).media, title: id, durationSeconds: null, publishedAt: null })),
  leftOut: 0,
  isTruncated: false,
  ...more,
})

/** Checks of one list, which answers with what `read` returns. */
async function openChecks(where: Where, read: () => Promise<ReadList>, more: Partial<FollowedListRow> = {}) {
  const place = await openIntake(await where.createLocation())
  const db = place.database.query
  const list = followedList({ next_at: place.timers.now(), ...more })
  await insertFollow(db, list)
  const checks = new FollowChecks({ ...place, hosts: createPlatformHosts([]), mediaLists: { read } })
  const follows = new Follows({
    ...place,
    clock: place.timers,
    lists: { readUrl: () => assert.fail('no list is added') },
    wake: () => undefined,
  })
  const current = async () => (await listFollows(db))[0]!
  return {
    ...place,
    list,
    follows,
    current,
    /** Starts the checks, and returns the list as it is when one is over. */
    async check() {
      const { checked_at: before } = await current()
      await checks.start()
      return eventually(current, ({ checked_at, lease_until }) => checked_at !== before && lease_until === null)
    },
    async [Symbol.asyncDispose]() {
      await checks.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

function onDatabase(where: Where): void {
  const { name, skip } = where
  test(
    `${name}: what moves up to the edge of a long list is no news, also when entries are left out`,
    { skip },
    async () => {
      const ids = Array.from({ length: 900 }, (_, index) => `old-${index}`)
      const read = readList(['new', ...ids, 'moved-up'], { isTruncated: true, leftOut: 98 })
      await using place = await openChecks(where, () => Promise.resolve(read))
      const keys = ids.map((id) => wanted(id).media.key)
      await rememberMedia(place.database.query, place.list.id, { keys, seen_at: 1 })
      await place.check()
      assert.equal((await place.intake.status()).waiting, 1)
      assert.deepEqual(await place.feed(), ['youtube:new'])
    },
  )

  test(`${name}: a list whose platform is paused is tried again within the hour`, { skip }, async () => {
    const refuse = () => Promise.reject(new MediaFailure('rate_limited'))
    await using place = await openChecks(where, refuse, { every_minutes: 10_080 })
    const { next_at, failures, error_code } = await place.check()
    assert.deepEqual([failures, error_code], [0, 'rate_limited'])
    assert.ok(next_at - place.timers.now() <= 66 * minute, `${(next_at - place.timers.now()) / minute} minutes`)
  })

  test(`${name}: a shorter interval counts at once, a longer one after the next check`, { skip }, async () => {
    await using place = await openChecks(where, () => Promise.resolve(readList([])))
    const wait = async () => Math.round(((await place.current()).next_at - place.timers.now()) / minute)
    await place.check()
    assert.ok((await wait()) >= 359)
    await place.follows.change(place.list.id, { every_minutes: 60 })
    assert.equal(await wait(), 60)
    await place.follows.change(place.list.id, { every_minutes: 1440, title_has: 'mix' })
    assert.equal(await wait(), 60)
  })

  test(`${name}: a list is checked also after the clock was put back by years`, { skip }, async () => {
    const later = 400 * 24 * 60 * minute
    await using place = await openChecks(where, () => Promise.resolve(readList([])), { next_at: Date.now() + later })
    assert.equal((await place.check()).failures, 0)
  })

  test(`${name}: a disabled list is not checked on request`, { skip }, async () => {
    await using place = await openChecks(where, () => Promise.resolve(readList([])), { is_enabled: 0 })
    await assert.rejects(place.follows.checkNow(place.list.id), { status: 409 })
    await assert.rejects(place.follows.checkNow('other'), { status: 404 })
  })
}

for (const where of bothDatabases) onDatabase(where)

test('while the disk is full a list takes nothing and says why; afterwards all of it comes, once', async () => {
  const [where] = bothDatabases as [Where, Where]
  const read = readList(Array.from({ length: 300 }, (_, index) => `medium-${index}-${'x'.repeat(80)}`))
  await using place = await openChecks(where, () => Promise.resolve(read), { takes_present: 1, is_begun: 0 })
  const { query } = place.database
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(query)
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 2)}`.execute(query)
  const { error_code, message, failures, next_at } = await place.check()
  assert.deepEqual([error_code, message, failures], ['disk_full', 'There is not enough space left on the disk', 0])
  assert.ok(next_at - place.timers.now() <= 66 * minute)
  assert.equal((await place.intake.status()).waiting, 0, 'all of a list or nothing')
  await sql`pragma max_page_count = 1073741823`.execute(query)
  await place.follows.checkNow(place.list.id)
  const after = await place.check()
  assert.deepEqual([after.error_code, (await place.intake.status()).waiting], [null, 300])
})
