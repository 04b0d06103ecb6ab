import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import type { PortalSession, PortalSnapshot } from '../portal/portal-state.ts'
import { createArtifactAdapter } from './artifact-adapter.ts'
import { createPortalLink } from './portal-link.ts'
import { createSessionAdapter } from './session-adapter.ts'

const secret = new Uint8Array(32)
const link = createPortalLink(secret)

onBothDatabases(async (database, name) => {
  const clock = createManualClock(1_900_000_000_000)
  const user = { id: 'ann', username: 'ann', email: null, groups: new Set<string>() }
  const session: PortalSession = {
    id: 's1',
    user,
    provedAt: clock.now(),
    provedBy: 'password',
    endsAt: clock.now() + 60_000,
  }
  let sessionOfRequest: string | undefined
  const states = createArtifactAdapter('Session', {
    database,
    clock,
    link,
    sealer: createSealer(secret),
    issuer: 'https://auth.test',
    alreadyUsed: () => new Error('used before'),
    tidy: () => Promise.resolve(),
    onLogin: () => undefined,
  })
  const sessions = createSessionAdapter({
    state: { current: () => ({ sessions: new Map([[session.id, session]]) }) as unknown as PortalSnapshot },
    link,
    now: () => clock.now(),
    sessionOfRequest: () => sessionOfRequest,
    clientIds: () => Promise.resolve(['app']),
    states,
  })
  const count = async () => (await database.query.selectFrom('openid_artifacts').select('id_hash').execute()).length

  await test(`${name}: a session of the portal is found by the requests of that session alone`, async () => {
    assert.equal(await sessions.find('portal.s1'), undefined)
    sessionOfRequest = 's2'
    assert.equal(await sessions.find('portal.s1'), undefined)
    sessionOfRequest = 's1'
    assert.equal(((await sessions.find('portal.s1')) as { accountId?: string }).accountId, 'ann')
    assert.notEqual(await sessions.findByUid('s1'), undefined, 'programs redeem codes of it')
    sessionOfRequest = undefined
    assert.notEqual(await sessions.findByUid('s1'), undefined)
  })

  await test(`${name}: a browser in which nobody is signed in is remembered while a page waits, and not otherwise`, async () => {
    await sessions.upsert('visitor', { uid: 'u', authorizations: { app: { sid: 'x' } } }, 600)
    assert.equal(await count(), 0)
    await sessions.upsert('visitor', { uid: 'u', state: { secret: 'x' } }, 600)
    assert.deepEqual(await sessions.find('visitor'), { uid: 'u', state: { secret: 'x' } })
    await sessions.upsert('visitor', { uid: 'u' }, 600)
    assert.equal(await sessions.find('visitor'), undefined, 'the page was answered')
  })

  await test(`${name}: such browsers have a bound, and take no page from whoever is signed in`, async () => {
    await sessions.upsert('x', { accountId: 'ann', uid: 's1', state: { secret: 'mine' } }, 600)
    const row = await database.query.selectFrom('openid_artifacts').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: 6000 }, (_, index) => ({
      ...row,
      id_hash: `${index}`,
      session_id: null,
      created_at: clock.now() + index,
    }))
    for (let begin = 0; begin < rows.length; begin += 500)
      await database.query
        .insertInto('openid_artifacts')
        .values(rows.slice(begin, begin + 500))
        .execute()
    clock.advance(10_000)
    await sessions.upsert('newest', { uid: 'u', state: { secret: 'y' } }, 600)
    assert.equal(await count(), 5001)
    assert.notEqual(await sessions.find('newest'), undefined)
    sessionOfRequest = 's1'
    const found = (await sessions.find('portal.s1')) as { state?: object }
    assert.deepEqual(found.state, { secret: 'mine' })
  })
})
