import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { openOrderDatabase } from '../../../test/order-database.ts'
import { type DnsProvider, ProviderFailed } from '../providers/provider.ts'
import * as store from '../store.ts'
import { createChallengeRecords } from './challenge-records.ts'
import { stateOfRow } from './order-view.ts'

const day = 86_400_000

/** The records of two orders at a provider that removes them, or refuses to. */
async function openRecords(removeTxt: () => Promise<void>) {
  const place = await openOrderDatabase()
  const { db, timers } = place
  for (const id of ['o', 'other']) await place.addOrder(id)
  const provider: Pick<DnsProvider, 'removeTxt'> = { removeTxt }
  const records = createChallengeRecords({
    db,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    providers: { open: () => Promise.resolve(provider as DnsProvider) },
    isClosed: () => false,
  })
  const read = async (id: string) => (await store.findOrder(db, id)) ?? assert.fail()
  return {
    db,
    timers,
    records,
    read,
    note: (id: string) => records.note({ id, provider_id: 'p' }, txt),
    end: async (id: string) => store.changeOrder(db, await read(id), { values: {}, isOver: true, now: timers.now() }),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

const txt = { zone: 'example.org', name: '_acme-challenge.example.org', value: 'v' }

test('a record that a provider does not remove is left there after a week, with a word in the history', async () => {
  let removals = 0
  await using place = await openRecords(() => {
    removals += 1
    return Promise.reject(new ProviderFailed('wrong-credentials', 'The token is not accepted'))
  })
  const { db, timers } = place
  const start = timers.now()
  await place.note('o')
  await place.end('o')
  for (let [row] = await store.recordsOf(db, 'o'); row !== undefined; [row] = await store.recordsOf(db, 'o')) {
    assert.ok(timers.now() - start < 8 * day, 'it is not tried for ever')
    timers.jump((row.next_at ?? assert.fail()) - timers.now())
    await place.records.sweep()
  }
  assert.ok(timers.now() - start > 6.9 * day, `${removals} removals in ${(timers.now() - start) / day} days`)
  const words = 'The TXT record _acme-challenge.example.org in the zone example.org could not be removed for a week'
  const { history } = stateOfRow(await place.read('o'))
  assert.equal(history.at(-1)?.text, `${words}, and is left there: The token is not accepted`)
})

test('a record that another order needs, for authorities ask both for the same proof, is removed with the last of them', async () => {
  let removals = 0
  await using place = await openRecords(() => Promise.resolve(void (removals += 1)))
  await place.note('o')
  await place.note('other')
  await place.end('o')
  await place.records.sweep()
  assert.equal(removals, 0)
  assert.deepEqual(await store.recordsOf(place.db, 'o'), [])
  await place.end('other')
  await place.records.sweep()
  assert.equal(removals, 1)
  assert.deepEqual(await store.listRecords(place.db), [])
})
