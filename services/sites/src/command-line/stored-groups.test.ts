import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { Users } from '../accounts/users.ts'
import { planGroups } from '../as-code/group-plan.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { type GroupQuery, groupEntries, readStoredGroups, writeGroups } from './stored-groups.ts'

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('a plan whose groups somebody changed meanwhile is refused, and nothing of it is done', async () => {
      const database = openDatabase<Tables>(
        kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
      )
      await using _database = { [Symbol.asyncDispose]: () => database.close() }
      await migrate(database.query, migrations)
      const db = database.query as unknown as GroupQuery
      const users = new Users({
        database,
        clock: createManualClock(1_800_000_000_000),
        onAccessChanged: () => undefined,
        onChanged: () => Promise.resolve(),
      })
      for (const username of ['ada', 'bob', 'eve'])
        await users.create({
          username,
          password: 'tall-giraffe-on-ice-7',
          email: null,
          role: 'user',
          sites_only: false,
        })
      const planOf = async (members: readonly string[], more: readonly string[] = []) => {
        const file = [
          { name: 'work', users: more },
          { name: 'family', users: members },
        ]
        return planGroups(file, await readStoredGroups(db, new Map()), { prune: false, staying: [] }).changes
      }
      const write = (changes: Awaited<ReturnType<typeof planOf>>) =>
        db.transaction().execute((trx) => writeGroups(trx, changes, 1))

      const first = await planOf(['ada'])
      await write(first)
      await assert.rejects(write(first), /Somebody else changed the group work meanwhile/)
      const plan = await planOf(['ada', 'eve'], ['eve'])
      await write(await planOf(['ada', 'bob']))
      await assert.rejects(write(plan), /Somebody else changed the group family meanwhile/)
      assert.deepEqual(await groupEntries(db), [
        { name: 'family', users: ['ada', 'bob'] },
        { name: 'work', users: [] },
      ])
    })
  })
