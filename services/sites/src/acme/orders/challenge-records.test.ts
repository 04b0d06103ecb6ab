import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../tables.ts'
import { type DnsProvider, ProviderFailed } from '../providers/provider.ts'
import * as store from '../store.ts'
import { createChallengeRecords } from './challenge-records.ts'
import { begin } from './order-machine.ts'
import { columnsOf, stateOfRow } from './order-view.ts'

const day = 86_400_000

test('a record that a provider does not remove is left there after a week, with a word in the history', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const db = database.query
  const timers = createSkippingTimers()
  const start = timers.now()
  const times = { created_at: start, changed_at: start }
  await store.insertProvider(db, { id: 'p', name: 'Home', kind: 'webhook', settings_sealed: '', ...times })
  const base = { name: 'House', domains: 'example.org', provider_id: 'p', directory: 'https://ca.test/dir' }
  const order = { id: 'o', ...base, certificate_id: null, key_sealed: null, ...times }
  await store.insertOrder(db, { ...order, ...columnsOf(begin({}, 'Ordered', start)) })
  let removals = 0
  const provider: Pick<DnsProvider, 'removeTxt'> = {
    removeTxt() {
      removals += 1
      return Promise.reject(new ProviderFailed('wrong-credentials', 'The token is not accepted'))
    },
  }
  const records = createChallengeRecords({
    db,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    providers: { open: () => Promise.resolve(provider as DnsProvider) },
    isClosed: () => false,
  })
  await records.note(
    { id: 'o', provider_id: 'p' },
    { zone: 'example.org', name: '_acme-challenge.example.org', value: 'v' },
  )
  const read = async () => (await store.findOrder(db, 'o')) ?? assert.fail()
  await store.changeOrder(db, await read(), { values: {}, isOver: true, now: start })
  for (let [row] = await store.recordsOf(db, 'o'); row !== undefined; [row] = await store.recordsOf(db, 'o')) {
    assert.ok(timers.now() - start < 8 * day, 'it is not tried for ever')
    timers.jump((row.next_at ?? assert.fail()) - timers.now())
    await records.sweep()
  }
  assert.ok(timers.now() - start > 6.9 * day, `${removals} removals in ${(timers.now() - start) / day} days`)
  const words = 'The TXT record _acme-challenge.example.org in the zone example.org could not be removed for a week'
  assert.equal(stateOfRow(await read()).history.at(-1)?.text, `${words}, and is left there: The token is not accepted`)
  await database.close()
})
