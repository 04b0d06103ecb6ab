import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer, hashToken } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { createArtifactAdapter, createTidy } from './artifact-adapter.ts'
import { insertClientRow, updateClientRow, findClientRow, deleteClientRow } from './store.ts'
import { endLoginRow, listDueLoginRows, listOpenLoginRows, deleteLoginRow } from './login-store.ts'
import { createPortalLink } from './portal-link.ts'
import type { OpenIdLoginRow } from './tables.ts'

const secret = new Uint8Array(32)
const settings = JSON.stringify({ redirect_uris: ['https://app.test/'] })

onBothDatabases(async (database, name) => {
  const db = database.query
  const clock = createManualClock(1_900_000_000_000)
  const logins: OpenIdLoginRow[] = []
  const adapter = (model: string) =>
    createArtifactAdapter(model, {
      database,
      clock,
      sealer: createSealer(secret),
      link: createPortalLink(secret),
      issuer: 'https://auth.test',
      alreadyUsed: () => new Error('used before'),
      tidy: createTidy({ database, clock }),
      onLogin: (login) => logins.push(login),
    })
  const client = { name: 'App', secret_hash: null, settings, created_at: 0, last_used_at: null, last_user_id: null }
  await insertClientRow(db, { id: 'app', ...client })
  const code = { clientId: 'app', accountId: 'ann', sessionUid: 's1', grantId: 'g1', jti: 'the-code', nonce: 'n' }

  await test(`${name}: what is stored reveals neither ids nor content, and comes back until it expires`, async () => {
    await adapter('AuthorizationCode').upsert('the-code', code, 60)
    const [row] = await db.selectFrom('openid_artifacts').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(row), /the-code|accountId/)
    assert.deepEqual(await adapter('AuthorizationCode').find('the-code'), code)
    assert.equal(await adapter('AccessToken').find('the-code'), undefined, 'another kind')
    clock.advance(60_000)
    assert.equal(await adapter('AuthorizationCode').find('the-code'), undefined)
    await adapter('AccessToken').upsert('t', { ...code, jti: 't' }, 600)
    assert.equal((await db.selectFrom('openid_artifacts').selectAll().execute()).length, 1, 'the expired one is gone')
  })

  await test(`${name}: a code stores with it that the session signed in, and who`, async () => {
    assert.deepEqual(
      [logins[0]?.session_id, logins[0]?.client_id, logins[0]?.issuer],
      ['s1', 'app', 'https://auth.test'],
    )
    assert.equal((await findClientRow(db, 'app'))?.last_user_id, 'ann')
    assert.equal((await listOpenLoginRows(db)).length, 1)
  })

  await test(`${name}: of two at once one uses a code up, and everything of its grant ends`, async () => {
    const codes = adapter('AuthorizationCode')
    await codes.upsert('twice', { ...code, jti: 'twice' }, 60)
    await adapter('RefreshToken').upsert('r', { ...code, jti: 'r' }, 600)
    const results = await Promise.allSettled([codes.consume('twice'), codes.consume('twice')])
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.equal(await adapter('RefreshToken').find('r'), undefined)
    assert.equal(await adapter('AccessToken').find('t'), undefined)
  })

  await test(`${name}: sign-ins under way have a bound, and outlive a grant`, async () => {
    const under = adapter('Interaction')
    await under.upsert('i', { grantId: 'g1', params: {} }, 600)
    await adapter('AccessToken').revokeByGrantId('g1')
    await db.deleteFrom('openid_artifacts').where('grant_hash', '=', hashToken('g1')).execute()
    assert.notEqual(await under.find('i'), undefined)
  })

  await test(`${name}: a login that began anew is not deleted by the message about its end`, async () => {
    const [open] = await listOpenLoginRows(db)
    assert.ok(open !== undefined)
    await endLoginRow(db, open, clock.now())
    const [due] = await listDueLoginRows(db, clock.now(), 10)
    assert.ok(due !== undefined)
    clock.advance(1000)
    await adapter('AuthorizationCode').upsert('again', { ...code, jti: 'again' }, 60)
    await deleteLoginRow(db, due)
    assert.equal((await listOpenLoginRows(db)).length, 1)
  })

  await test(`${name}: with an application everything goes that it was given`, async () => {
    await updateClientRow(db, 'app', { name: 'Renamed' })
    await deleteClientRow(db, 'app')
    assert.equal(await adapter('AuthorizationCode').find('again'), undefined)
    assert.deepEqual(await listOpenLoginRows(db), [])
  })
})
