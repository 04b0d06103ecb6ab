import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { begin } from './orders/order-machine.ts'
import { columnsOf, stateOfRow } from './orders/order-view.ts'
import * as revocationStore from './revocation-store.ts'
import * as store from './store.ts'
import type { ChallengeRecordRow, OrderRow, RevocationRow } from './tables.ts'

const now = 1_900_000_000_000
const order = (id: string): OrderRow => ({
  id,
  name: id,
  domains: '*.example.org',
  provider_id: 'p',
  directory: 'https://ca.test/dir',
  certificate_id: null,
  key_sealed: null,
  ...columnsOf(begin({}, 'Ordered', now)),
  created_at: now,
  changed_at: now,
})
const record = (orderId: string, value: string): ChallengeRecordRow => ({
  id: `${orderId} ${value}`,
  order_id: orderId,
  provider_id: 'p',
  zone: 'example.org',
  name: '_acme-challenge.example.org',
  value,
  attempts: 0,
  problem: null,
  next_at: null,
  created_at: now,
})

const revocation = (orderId: string): RevocationRow => ({
  order_id: orderId,
  directory: 'https://ca.test/dir',
  certificate: 'pem',
  reason: 'superseded',
  attempts: 0,
  problem: null,
  next_at: null,
  created_at: now,
  revoked_at: null,
})

onBothDatabases(async ({ query: db }, name) => {
  const provider = { id: 'p', name: 'Home', kind: 'rfc2136', settings_sealed: '', created_at: now, changed_at: now }
  await store.insertProvider(db, provider)

  await test(`${name}: an order comes back as it was, and a result that is too late changes nothing`, async () => {
    await store.insertOrder(db, order('a'))
    const [row] = await store.dueOrders(db, now, 5)
    assert.ok(row !== undefined)
    assert.deepEqual(stateOfRow(row), stateOfRow(order('a')))
    const change = { values: { attempts: 3 }, isOver: false, now: now + 1 }
    assert.equal(await store.changeOrder(db, row, change), true)
    assert.equal(await store.changeOrder(db, row, change), false, 'it was changed since it was read')
    assert.equal((await store.findOrder(db, 'a'))?.attempts, 3)
  })

  await test(`${name}: an authority has one account, however many ask for it at once`, async () => {
    const keys = ['one', 'two', 'three']
    const rows = await Promise.all(
      keys.map((key) => store.settleAccount(db, { directory: 'd', key_sealed: key, url: null, created_at: now })),
    )
    assert.equal(new Set(rows.map(({ key_sealed: key }) => key)).size, 1)
  })

  await test(`${name}: a record stays noted until it is removed, also when its order is deleted or over`, async () => {
    await store.insertOrder(db, order('b'))
    assert.equal(await store.noteRecord(db, record('b', 'v')), true)
    assert.equal(await store.noteRecord(db, { ...record('b', 'v'), id: 'again' }), true)
    assert.deepEqual(await store.dueRecords(db, now, 5), [])
    assert.equal((await store.recordsAt(db, 'p')).length, 1)
    const row = await store.findOrder(db, 'b')
    assert.ok(row !== undefined)
    await store.changeOrder(db, row, { values: {}, isOver: true, now })
    assert.equal((await store.dueRecords(db, now, 5)).length, 1)
    // The next order gets the same proof: its record must not be removed any more.
    await store.noteRecord(db, record('b', 'v'))
    assert.deepEqual(await store.dueRecords(db, now, 5), [])
    await store.deleteOrder(db, 'b', now)
    assert.deepEqual((await store.dueRecords(db, now, 5)).length, 1)
    assert.equal(await store.noteRecord(db, record('b', 'w')), false, 'the order is gone')
    const orphan = record('nobody', 'x')
    await db.insertInto('challenge_records').values(orphan).execute()
    assert.equal((await store.dueRecords(db, now, 5)).length, 2)
    for (const { id } of await store.dueRecords(db, now, 5)) await store.deleteRecord(db, id)
    assert.equal(await store.nextDue(db, now), (await store.findOrder(db, 'a'))?.next_at ?? undefined)
  })

  await test(`${name}: the same proof through another provider is another record, and both stay until the order is over`, async () => {
    await store.insertProvider(db, { ...provider, id: 'q' })
    await store.insertOrder(db, order('d'))
    await store.noteRecord(db, record('d', 'v'))
    const write = { isOver: true, now }
    const read = async () => (await store.findOrder(db, 'd')) ?? assert.fail()
    await store.changeOrder(db, await read(), { ...write, values: { provider_id: 'q' } })
    assert.equal((await store.dueRecords(db, now, 5)).length, 1)
    assert.equal(await store.noteRecord(db, { ...record('d', 'v'), id: 'at q', provider_id: 'q' }), true)
    assert.deepEqual(await store.dueRecords(db, now, 5), [], 'a removal through p could reach the same zone')
    const providers = async () => (await store.dueRecords(db, now, 5)).map(({ provider_id: id }) => id).toSorted()
    await store.changeOrder(db, await read(), { ...write, values: {} })
    assert.deepEqual(await providers(), ['p', 'q'])
    await store.deleteOrder(db, 'd', now)
    await store.deleteProvider(db, 'q')
    assert.deepEqual(await providers(), ['p'])
    for (const { id } of await store.dueRecords(db, now, 5)) await store.deleteRecord(db, id)
  })

  await test(`${name}: a revocation waits for a certificate or the end of its order, and is done once`, async () => {
    await store.insertOrder(db, order('c'))
    const read = async () => (await store.findOrder(db, 'c')) ?? assert.fail()
    const write = { values: {}, isOver: false, now }
    const stale = await read()
    await store.changeOrder(db, stale, { ...write, revocation: revocation('c') })
    assert.equal(await store.changeOrder(db, stale, { ...write, isIssued: true }), false)
    assert.deepEqual(await revocationStore.dueRevocations(db, now, 5), [], 'a step that is too late changes nothing')
    await store.changeOrder(db, await read(), { ...write, isIssued: true })
    assert.equal((await revocationStore.dueRevocations(db, now, 5)).length, 1)
    const later = { order_id: 'c', attempts: 1, problem: 'away', next_at: now - 5 }
    await revocationStore.postponeRevocation(db, later)
    assert.equal(await store.nextDue(db, now), now - 5)
    await revocationStore.finishRevocation(db, revocation('c'), now)
    await revocationStore.postponeRevocation(db, later)
    await store.changeOrder(db, await read(), { ...write, isIssued: true })
    const done = { ...revocation('c'), revoked_at: now }
    assert.deepEqual({ ...(await revocationStore.findRevocation(db, 'c')) }, done)
    await store.changeOrder(db, await read(), { ...write, revocation: { ...revocation('c'), certificate: 'next' } })
    await revocationStore.finishRevocation(db, revocation('c'), now)
    assert.equal((await revocationStore.findRevocation(db, 'c'))?.revoked_at, null, 'that was another certificate')
    await store.deleteOrder(db, 'c', now)
    assert.equal((await revocationStore.dueRevocations(db, now, 5)).length, 1)
    await revocationStore.deleteRevocation(db, 'c')
  })

  await test(`${name}: a changed provider makes the steps due that it failed, also one that runs with the old settings`, async () => {
    const later = now + 3_600_000
    for (const [code, isRetried] of [
      ['wrong-credentials', true],
      ['wrong-zone', true],
      ['provider-away', true],
      ['provider-refused', true],
      ['authority-away', false],
      [undefined, false],
    ] as const) {
      const problem = code === undefined ? null : JSON.stringify({ code, text: '"code":"wrong-zone"', at: now })
      await store.insertOrder(db, { ...order('f'), problem, next_at: later })
      const running = (await store.findOrder(db, 'f')) ?? assert.fail()
      await store.retryOrdersOf(db, 'p', now)
      assert.equal((await store.findOrder(db, 'f'))?.next_at, isRetried ? now : later, `${code}`)
      const late = { values: { next_at: later }, isOver: false, now }
      assert.equal(await store.changeOrder(db, running, late), !isRetried, `${code} of the old settings`)
      await store.deleteOrder(db, 'f', now)
    }
  })

  await test(`${name}: a time that a wrong clock has set is due, for no wait is longer than a week`, async () => {
    await db.deleteFrom('certificate_orders').execute()
    assert.equal(await store.nextDue(db, now), undefined)
    for (const [days, isDue] of [
      [-1, true],
      [7, false],
      [365, true],
    ] as const) {
      const next_at = now + days * 86_400_000
      await store.insertOrder(db, { ...order('e'), next_at })
      assert.equal(await store.nextDue(db, now), days === 365 ? now : next_at, `order in ${days} days`)
      assert.equal((await store.dueOrders(db, now, 5)).length, isDue ? 1 : 0, `order in ${days} days`)
      await store.noteRecord(db, record('e', 'v'))
      await store.deleteOrder(db, 'e', next_at)
      assert.equal((await store.dueRecords(db, now, 5)).length, isDue ? 1 : 0, `record in ${days} days`)
      await store.deleteRecord(db, 'e v')
      await revocationStore.putRevocation(db, { ...revocation('e'), next_at })
      assert.equal(await store.nextDue(db, now), days === 365 ? now : next_at, `revocation in ${days} days`)
      assert.equal((await revocationStore.dueRevocations(db, now, 5)).length, isDue ? 1 : 0, `in ${days} days`)
      await revocationStore.deleteRevocation(db, 'e')
    }
  })
})
