import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { createFastTimers, createLog, createManualClock, type Clock } from '@hearth/runtime'
import { AccountError } from '../account-error.ts'
import { eventOfUserChange } from './security-event.ts'
import { SecurityLog } from './security-log.ts'
import { createSecurityLogTable, type SecurityLogTables } from './tables.ts'

const ada = { userId: 'u1', username: 'ada' }
const from = { address: '192.0.2.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' }
const page = { limit: 100, offset: 0 }

async function openLog(
  retention = { days: 30, rows: 1000 },
  timers: Clock & { jump(ms: number): void } = createFastTimers(1),
) {
  const database = openDatabase<SecurityLogTables>({ file: ':memory:' })
  await createSecurityLogTable(database.query as never)
  const securityLog = new SecurityLog({
    query: database.query,
    clock: timers,
    log: createLog({ name: 'test', level: 'silent' }),
    retention,
    findUser: (name) => Promise.resolve(name.toLowerCase() === 'ada' ? ada : undefined),
    statusOf: () => 401,
  })
  return { database, timers, securityLog, [Symbol.asyncDispose]: () => database.close() }
}

test('events are listed newest first, by kind, by user, and by parts of names and addresses', async () => {
  await using opened = await openLog()
  const { securityLog, timers } = opened
  await securityLog.record({ kind: 'sign_in', by: ada, from, method: 'password' })
  timers.jump(1000)
  await securityLog.record({ kind: 'token_created', by: { userId: 'u2', username: 'eve' }, from, target: '100%_wild' })
  timers.jump(1000)
  await securityLog.record({ kind: 'password_changed', target: 'Ada' })
  const kinds = async (filter: object) =>
    (await securityLog.list({ ...page, ...filter })).events.map(({ kind }) => kind)
  assert.deepEqual(await kinds({}), ['password_changed', 'token_created', 'sign_in'])
  assert.deepEqual(await kinds({ kind: 'token_created' }), ['token_created'])
  assert.deepEqual(await kinds({ userId: 'u1' }), ['sign_in'])
  assert.deepEqual(await kinds({ search: 'ADA' }), ['password_changed', 'sign_in'])
  assert.deepEqual(await kinds({ search: '%_' }), ['token_created'])
  assert.deepEqual(await kinds({ search: '192.0.2.' }), ['token_created', 'sign_in'])
  const { events, total } = await securityLog.list({ limit: 1, offset: 2 })
  assert.equal(total, 3)
  assert.deepEqual(
    events.map(({ username, address, device, method }) => [username, address, device, method]),
    [['ada', '192.0.2.7', 'Firefox on Linux', 'password']],
  )
})

test('a failed sign-in says why and for whom, but keeps no name that nobody has', async () => {
  await using opened = await openLog()
  const { securityLog, timers } = opened
  const refuse = (isByCode: boolean) =>
    Promise.reject(new AccountError({ kind: 'wrong-credentials', isDisabled: false, isByCode }))
  await assert.rejects(securityLog.watch(refuse(false), { from, username: 'ADA' }), AccountError)
  timers.jump(1000)
  await assert.rejects(securityLog.watch(refuse(true), { from, username: 'my-password-1' }), AccountError)
  await assert.rejects(securityLog.watch(Promise.reject(new Error('disk')), { from, username: 'ada' }), /disk/)
  assert.equal(await securityLog.watch(Promise.resolve('key'), { from, username: 'ada' }), 'key')
  const { events } = await securityLog.list(page)
  assert.deepEqual(
    events.map(({ username, reason }) => [username, reason]),
    [
      [null, 'invalid_recovery_code'],
      ['ada', 'invalid_credentials'],
    ],
  )
})

test('refusals of one address for too many attempts are stored once a minute', async () => {
  await using opened = await openLog()
  const { securityLog, timers } = opened
  const refuse = (address: string) =>
    securityLog.failed({ from: { ...from, address }, reason: 'rate_limited', status: 429 })
  for (let count = 0; count < 5; count++) await refuse('192.0.2.1')
  await refuse('192.0.2.2')
  assert.equal((await securityLog.list(page)).total, 2)
  timers.jump(60_001)
  await refuse('192.0.2.1')
  assert.equal((await securityLog.list(page)).total, 3)
})

test('old events go, and a flood of failures does not push out the rest', async () => {
  await using opened = await openLog({ days: 30, rows: 100 })
  const { securityLog, timers } = opened
  await securityLog.record({ kind: 'user_created', by: ada, from, target: 'eve' })
  timers.jump(86_400_000)
  await securityLog.record({ kind: 'rights_changed', by: ada, from, target: 'eve', detail: 'role: admin' })
  for (let count = 0; count < 300; count++) {
    timers.jump(1000)
    await securityLog.failed({ from, username: 'ada', reason: 'invalid_credentials', status: 401 })
  }
  timers.jump(600_000)
  const count = async (kind?: 'sign_in_failed') => (await securityLog.list({ ...page, kind })).total
  assert.equal(await count('sign_in_failed'), 50)
  assert.equal(await count(), 52)
  timers.jump(29 * 86_400_000)
  const { events } = await securityLog.list({ ...page, search: 'eve' })
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['rights_changed'],
  )
})

test('a clock that is wrong for a while deletes nothing', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 1))
  await using opened = await openLog({ days: 30, rows: 100 }, clock)
  const { securityLog } = opened
  const kept = async () => (await opened.database.query.selectFrom('security_events').select('kind').execute()).length
  const note = () => securityLog.record({ kind: 'sign_in', by: ada, from })
  await note()
  clock.jump(1000 * 86_400_000)
  await note()
  clock.jump(-1000 * 86_400_000)
  await note()
  assert.equal(await kept(), 3)
  clock.advance(40 * 86_400_000)
  await note()
  assert.equal(await kept(), 2, 'the one from the future waits for its time')
})

test('the file has every event, and nothing in it is a formula', async () => {
  await using opened = await openLog({ days: 30, rows: 10_000 })
  const { securityLog, timers } = opened
  await securityLog.record({ kind: 'token_created', by: ada, from, target: '=cmd("x"), 1' })
  for (let count = 0; count < 700; count++) {
    if (count % 7 === 0) timers.jump(1000)
    await securityLog.record({ kind: 'sign_in', by: ada, from, method: 'passkey' })
  }
  const csv = (await text(securityLog.export('csv', {}))).trim().split('\n')
  assert.equal(csv[0], 'at,kind,username,address,device,method,reason,target,detail')
  assert.equal(csv.length, 702)
  assert.equal(new Set(csv.filter((line) => line.includes(`"'=cmd(""x""), 1"`))).size, 1)
  const lines = (await text(securityLog.export('jsonl', { kind: 'sign_in' }))).trim().split('\n')
  const events = lines.map((line) => JSON.parse(line) as { id: string; kind: string })
  assert.equal(new Set(events.map(({ id }) => id)).size, 700)
  assert.ok(events.every(({ kind }) => kind === 'sign_in'))
})

test('what cannot be stored fails nothing', async () => {
  await using opened = await openLog()
  const { securityLog, database } = opened
  await database.query.schema.dropTable('security_events').execute()
  await securityLog.record({ kind: 'sign_in', by: ada, from, method: 'password' })
})

test('a change of a user is one of rights, of the password, or of anything else', () => {
  assert.deepEqual(eventOfUserChange({ role: 'admin', password: 'secret' }), {
    kind: 'rights_changed',
    detail: 'role: admin, new password',
  })
  assert.deepEqual(eventOfUserChange({ is_active: false }), { kind: 'rights_changed', detail: 'may not sign in' })
  assert.deepEqual(eventOfUserChange({ password: 'secret' }), { kind: 'password_changed', detail: 'new password' })
  assert.deepEqual(eventOfUserChange({ email: 'a@b.c', password: 'secret' }), {
    kind: 'user_changed',
    detail: 'new password, changed: email',
  })
})
