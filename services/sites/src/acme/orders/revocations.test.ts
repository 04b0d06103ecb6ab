import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { openOrderDatabase } from '../../../test/order-database.ts'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { AcmeError } from '../client/acme-error.ts'
import { findRevocation, putRevocation } from '../revocation-store.ts'
import * as store from '../store.ts'
import { stateOfRow } from './order-view.ts'
import { Revocations } from './revocations.ts'

const day = 86_400_000
const year = 365 * day

/** A revocation that is due, of a certificate that is valid for 90 days. */
async function openRevocation() {
  const place = await openOrderDatabase()
  const { db, timers, now } = place
  await place.addOrder('o')
  const { chain } = createTestAuthority().issue({
    names: ['example.org'],
    notBefore: now - day,
    notAfter: now + 89 * day,
  })
  const certificate = new X509Certificate(chain).toString()
  const reason = 'key_compromised' as const
  const directory = 'https://ca.test/dir'
  const row = { order_id: 'o', directory, certificate, reason, attempts: 0, problem: null }
  await putRevocation(db, { ...row, next_at: now, created_at: now, revoked_at: null })
  const answer: { error: AcmeError | undefined; asked: number } = { error: undefined, asked: 0 }
  const client = {
    revoke() {
      answer.asked += 1
      return answer.error === undefined ? Promise.resolve() : Promise.reject(answer.error)
    },
  }
  const revocations = new Revocations({
    db,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    accounts: { client: () => client, signer: () => Promise.resolve({ key: '', account: 'a' }) },
    uploads: {},
    whyNotServed: () => Promise.resolve(undefined),
    isClosed: () => false,
  } as unknown as ConstructorParameters<typeof Revocations>[0])
  return {
    timers,
    answer,
    revocations,
    find: () => findRevocation(db, 'o'),
    lastWords: async () => stateOfRow((await store.findOrder(db, 'o')) ?? assert.fail()).history.at(-1)?.text,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

test('a clock that is far ahead drops no revocation, and when it is right again the authority is asked', async () => {
  await using place = await openRevocation()
  const { timers, answer, revocations } = place
  timers.jump(year)
  // By this clock the authority's own certificate has expired, too.
  answer.error = new AcmeError('away', 'The authority: certificate has expired')
  await revocations.sweep()
  assert.equal((await place.find())?.problem, 'The authority: certificate has expired')
  timers.jump(-year)
  answer.error = undefined
  await revocations.sweep()
  const done = await place.find()
  assert.deepEqual([done?.revoked_at, answer.asked], [timers.now(), 2])
})

test('the revocation of an expired certificate ends when the authority refuses it, or is away for another month', async () => {
  for (const error of [new AcmeError('refused', 'Certificate is expired'), new AcmeError('away', 'No answer')]) {
    await using place = await openRevocation()
    const { timers, answer, revocations } = place
    answer.error = error
    await revocations.sweep()
    assert.notEqual((await place.find())?.problem, null, 'it is asked again while the certificate is valid')
    timers.jump(90 * day)
    const start = timers.now()
    for (let row = await place.find(); row !== undefined; row = await place.find()) {
      timers.jump(Math.max(0, (row.next_at ?? assert.fail()) - timers.now()))
      await revocations.sweep()
    }
    const days = (timers.now() - start) / day
    assert.ok(error.failure === 'refused' ? days === 0 : days > 28 && days < 32, `${days} days`)
    assert.match((await place.lastWords()) ?? '', /^The old certificate expired before it was revoked/)
  }
})
