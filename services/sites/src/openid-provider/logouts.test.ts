import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { startLogoutReceiver } from '../../test/logout-receiver.ts'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import type { PortalSnapshot } from '../portal/portal-state.ts'
import { Clients } from './clients/clients.ts'
import { listOpenLoginRows, storeLoginRow } from './login-store.ts'
import { Logouts } from './logouts.ts'
import { createPortalLink } from './portal-link.ts'
import { SigningKeys } from './signing-keys.ts'
import { insertClientRow, updateClientRow } from './store.ts'
import type { OpenIdLoginRow } from './tables.ts'

const secret = new Uint8Array(32)

onBothDatabases(async (database, name) => {
  await using receiver = await startLogoutReceiver()
  const timers = createSkippingTimers(1_900_000_000_000)
  const settings = (more: object) => JSON.stringify({ redirect_uris: ['https://app.test/'], ...more })
  const row = { secret_hash: null, created_at: 0, last_used_at: null, last_user_id: null }
  const told = { backchannel_logout_uri: receiver.uri }
  await insertClientRow(database.query, { ...row, id: 'told', name: 'Told', settings: settings(told) })
  await insertClientRow(database.query, { ...row, id: 'mute', name: 'Mute', settings: settings({}) })
  const login = (session_id: string, client_id: string): OpenIdLoginRow => ({
    session_id,
    client_id,
    user_id: 'ann',
    sid: 'sid',
    issuer: 'https://auth.test',
    created_at: 0,
    ended_at: null,
    attempts: 0,
    next_at: null,
  })
  const left = async () => (await database.query.selectFrom('openid_logins').select('session_id').execute()).length
  const user = { id: 'ann', username: 'ann', email: null, groups: new Set<string>() }

  /** Opens the outbox while these sessions last; `end` ends all of them. */
  function open(...sessions: readonly string[]) {
    const listeners: ((snapshot: PortalSnapshot) => void)[] = []
    const snapshotOf = (ids: readonly string[]) =>
      ({ sessions: new Map(ids.map((id) => [id, { id, user }])) }) as unknown as PortalSnapshot
    let snapshot = snapshotOf(sessions)
    const clients = new Clients({
      database,
      clock: timers,
      groups: () => Promise.resolve([]),
      onChanged: () => Promise.resolve(),
    })
    const logouts = new Logouts({
      database,
      timers,
      log: createLog({ name: 'test', level: 'silent' }),
      state: { current: () => snapshot, subscribe: (listener) => void listeners.push(listener) },
      clients,
      keys: new SigningKeys({ database, sealer: createSealer(secret), clock: timers }),
      link: createPortalLink(secret),
      allow: createOutboundAllow([]),
    })
    return {
      logouts,
      end: () => {
        snapshot = snapshotOf([])
        for (const listener of listeners) listener(snapshot)
      },
      read: () => {
        for (const listener of listeners) listener(snapshot)
      },
    }
  }
  const signIn = async (logouts: Logouts, one: OpenIdLoginRow) => {
    await storeLoginRow(database.query, one)
    logouts.add(one)
  }

  await test(`${name}: an application that never answers is tried for an hour, then the log says so`, async () => {
    receiver.status = 503
    const { logouts, end } = open('s1')
    await logouts.start()
    await signIn(logouts, login('s1', 'told'))
    await signIn(logouts, login('s1', 'mute'))
    const begun = timers.monotonic()
    end()
    await eventually(left, (count) => count === 0, { what: 'the end of all tries' })
    const minutes = (timers.monotonic() - begun) / 60_000
    assert.ok(minutes >= 60 && minutes < 70, `${minutes} minutes`)
    assert.equal(receiver.tokens.length, 11, 'at first often, then each ten minutes; the mute one never')
    await logouts.close()
  })

  await test(`${name}: a session that ended while the service was stopped is told of at its start`, async () => {
    receiver.status = 200
    const count = receiver.tokens.length
    await storeLoginRow(database.query, login('s2', 'told'))
    const { logouts } = open()
    await logouts.start()
    await eventually(left, (rows) => rows === 0)
    assert.equal(receiver.tokens.length, count + 1)
    await logouts.close()
  })

  await test(`${name}: what waits stays when the service stops, and sessions that last are left alone`, async () => {
    await storeLoginRow(database.query, login('s3', 'told'))
    const first = open('s3')
    await first.logouts.start()
    await first.logouts.close()
    first.end()
    assert.equal((await listOpenLoginRows(database.query)).length, 1)
    const second = open('s3')
    await second.logouts.start()
    const count = receiver.tokens.length
    second.end()
    await eventually(left, (rows) => rows === 0)
    assert.equal(receiver.tokens.length, count + 1)
    await second.logouts.close()
  })

  await test(`${name}: groups that a command took away end the sign-ins of their users`, async () => {
    const { logouts, read } = open('s4')
    await logouts.start()
    await signIn(logouts, login('s4', 'told'))
    const count = receiver.tokens.length
    await updateClientRow(database.query, 'told', { settings: settings({ ...told, groups: ['family'] }) })
    await timers.delay(5000)
    read()
    await eventually(left, (rows) => rows === 0)
    assert.equal(receiver.tokens.length, count + 1)
    await logouts.close()
  })
})
