import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, createManualClock, systemTimers, type Timers } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { makeRecord } from '../../test/site-makers.ts'
import { endPortalSessionsOf } from '../accounts/portal-session-store.ts'
import { Users } from '../accounts/users.ts'
import { migrations } from '../database/migrations/index.ts'
import { siteRow } from '../sites/site-row.ts'
import { putSiteRow } from '../sites/store.ts'
import type { Tables } from '../tables.ts'
import { createGroups } from './groups.ts'
import { createPortalSessions } from './portal-sessions.ts'
import { PortalState } from './portal-state.ts'
import { createSiteTokens } from './site-tokens.ts'

const log = createLog({ name: 'test', level: 'silent' })
const securityLog = { record: () => Promise.resolve() } as unknown as Parameters<
  typeof createPortalSessions
>[0]['securityLog']
const from = { address: '192.0.2.1', userAgent: 'test' }

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    async function open() {
      const database = openDatabase<Tables>(
        kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
      )
      const db = database.query
      await migrate(db, migrations)
      const clock = createManualClock(1_800_000_000_000)
      const timers: Timers = { ...systemTimers, now: () => clock.now(), monotonic: () => clock.monotonic() }
      const state = new PortalState({ db, timers, log })
      const users = new Users({
        database,
        clock,
        onAccessChanged: () => undefined,
        onChanged: () => state.refresh(),
      })
      const user = await users.create({
        username: 'ann',
        password: 'tall-giraffe-on-ice-7',
        role: 'user',
        email: 'ann@home.test',
        sites_only: true,
      })
      const shared = { database, db, clock, state, securityLog }
      const addSite = async (id: number, signIn: object) => {
        const tls = { mode: 'internal' } as const
        const record = makeRecord({ site_name: `Site ${id}`, domains: [`s${id}.test`], tls, sign_in: {} })
        const wanted = { record: { ...record, sign_in: signIn as typeof record.sign_in }, extras: { hashes: {} } }
        await putSiteRow(db, siteRow(wanted, { id, revision: 1, created_at: 0, updated_at: 0 }))
        await state.refresh()
      }
      return {
        db,
        clock,
        state,
        users,
        user,
        addSite,
        groups: createGroups({ ...shared, applications: { namingGroup: () => Promise.resolve(undefined) } }),
        tokens: createSiteTokens(shared),
        sessions: createPortalSessions(shared),
        other: new PortalState({ db, timers, log }),
        close: () => database.close(),
      }
    }

    test('edits count when they are answered, those of another process with the next reading', async () => {
      const { db, state, other, groups, tokens, sessions, users, user, addSite, close } = await open()
      await groups.create({ name: 'family', user_ids: [user.id] })
      await addSite(1, { groups: ['family'], rules: [] })
      assert.deepEqual([...(state.current()?.users.get(user.id)?.groups ?? [])], ['family'])
      const { token: _, id: tokenId } = await tokens.create({
        name: 'program',
        site_id: 1,
        user_id: user.id,
        expires_in_days: null,
      })
      const row = { id: user.id, username: 'ann' } as Parameters<typeof sessions.open>[0]
      const session = await sessions.open(row, 'password', from)
      await other.refresh()
      for (const each of [state, other])
        assert.deepEqual([each.current()?.tokens.size, each.current()?.sessions.has(session.id)], [1, true])
      await tokens.remove(tokenId)
      await groups.update('family', [])
      assert.deepEqual([state.current()?.tokens.size, state.current()?.users.get(user.id)?.groups.size], [0, 0])
      // As the command line does, which knows nothing of this process.
      await endPortalSessionsOf(db, user.id)
      await other.refresh()
      assert.deepEqual([other.current()?.sessions.size, other.current()?.tokens.size], [0, 0])
      await sessions.open(row, 'password', from)
      await users.update('', user.id, { is_active: false })
      assert.deepEqual([state.current()?.users.size, state.current()?.sessions.size], [0, 0])
      await assert.rejects(groups.remove('family'), /names this group/)
      await close()
    })

    test('a session ends after twelve hours, and a user has at most fifty', async () => {
      const { clock, state, sessions, user, close } = await open()
      const row = { id: user.id, username: 'ann' } as Parameters<typeof sessions.open>[0]
      for (let number = 0; number < 52; number += 1) await sessions.open(row, 'password', from)
      assert.equal(state.current()?.sessions.size, 50)
      clock.advance(43_200_001)
      await state.refresh()
      assert.equal(state.current()?.sessions.size, 0)
      await close()
    })

    test('a site with rules that cannot be read is not there, and so closed', async () => {
      const { state, addSite, close } = await open()
      await addSite(1, { groups: [], rules: [] })
      await addSite(2, {
        groups: [],
        rules: [{ networks: ['home'], methods: [], path: '/', access: 'open', groups: [] }],
      })
      assert.deepEqual([...(state.current()?.sites.keys() ?? [])], [1])
      await close()
    })

    test('nobody passes by a state that could not be read for a minute', async () => {
      const { clock, state, close } = await open()
      assert.ok(state.current())
      clock.advance(59_000)
      assert.ok(state.current())
      clock.advance(2000)
      assert.equal(state.current(), undefined)
      await state.refresh()
      assert.ok(state.current())
      await close()
      await state.refresh()
      clock.advance(61_000)
      assert.equal(state.current(), undefined)
    })
  })
