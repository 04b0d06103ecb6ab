import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { toError } from '../problems.ts'
import { Users } from './users.ts'

const codeOf = (error: unknown): string => (toError(error).body as { code?: string }).code ?? String(error)

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    /** Two administrators, whose requests both were let in before either is gone. */
    async function openWithTwo() {
      const database = openDatabase<Tables>(
        kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
      )
      await migrate(database.query, migrations)
      const changed: string[] = []
      const users = new Users({
        database,
        clock: createManualClock(1_800_000_000_000),
        onAccessChanged: (id) => void changed.push(id),
        onChanged: () => Promise.resolve(),
      })
      const password = 'tall-giraffe-on-ice-7'
      const [ada, grace] = await Promise.all(
        ['ada', 'grace'].map((username) =>
          users.create({ username, password, role: 'admin', email: null, sites_only: false }),
        ),
      )
      assert.ok(ada !== undefined && grace !== undefined)
      return { users, ada: ada.id, grace: grace.id, changed, close: () => database.close() }
    }

    const ways = {
      delete: (users: Users, actor: string, id: string) => users.remove(actor, id),
      demote: (users: Users, actor: string, id: string) => users.update(actor, id, { role: 'user' }),
      disable: (users: Users, actor: string, id: string) => users.update(actor, id, { is_active: false }),
    }
    for (const [name, way] of Object.entries(ways))
      test(`when two administrators ${name} each other at once, one remains`, async () => {
        const { users, ada, grace, changed, close } = await openWithTwo()
        const ends = await Promise.allSettled([way(users, ada, grace), way(users, grace, ada)])
        const refused = ends.flatMap((end) => (end.status === 'rejected' ? [codeOf(end.reason)] : []))
        assert.deepEqual(refused, ['last_administrator'])
        const left = (await users.list()).filter(({ role, is_active }) => role === 'admin' && is_active)
        assert.equal(left.length, 1)
        // The one who was refused keeps the sessions.
        assert.equal(changed.includes(left[0]?.id ?? ''), false)
        await close()
      })

    test('an edit of something else does not undo that a user is for sites only', async () => {
      const { users, ada, close } = await openWithTwo()
      const input = { username: 'mary', password: 'tall-giraffe-on-ice-7', role: 'user', email: null } as const
      const { id } = await users.create({ ...input, sites_only: false })
      await Promise.all([
        users.update(ada, id, { sites_only: true }),
        users.update(ada, id, { email: 'mary@home.test' }),
      ])
      const mary = (await users.list()).find((user) => user.id === id)
      assert.deepEqual([mary?.sites_only, mary?.email], [true, 'mary@home.test'])
      const ends = await Promise.allSettled([
        users.update(ada, id, { sites_only: false }),
        users.update(ada, id, { role: 'admin' }),
        users.update(ada, id, { sites_only: true }),
      ])
      assert.equal(ends.filter(({ status }) => status === 'rejected').length > 0, true)
      const last = (await users.list()).find((user) => user.id === id)
      assert.equal(last?.role === 'admin' && last.sites_only, false)
      await close()
    })

    test('a plain user and a disabled administrator do not count as the last administrator', async () => {
      const { users, ada, grace, close } = await openWithTwo()
      await users.update(ada, grace, { is_active: false })
      await assert.rejects(
        users.update(grace, ada, { role: 'user' }),
        (error) => codeOf(error) === 'last_administrator',
      )
      await users.remove(ada, grace)
      await close()
    })
  })
