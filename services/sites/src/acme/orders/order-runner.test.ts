import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createLog } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { sql } from 'kysely'
import { openOrderDatabase } from '../../../test/order-database.ts'
import { createTestAuthority } from '../../../test/test-authority.ts'
import type { AcmeClient, AcmeOrder } from '../client/acme-client.ts'
import * as store from '../store.ts'
import { begin } from './order-machine.ts'
import { OrderRunner, type OrderRunnerDependencies } from './order-runner.ts'
import { columnsOf } from './order-view.ts'

const minute = 60_000
const processing: AcmeOrder = { status: 'processing', authorizations: [], finalize: 'https://ca.test/f' }

interface Issuing {
  /** PEM of the certificate that the authority issues; none without it. */
  readonly chain: string
  /** Called while the certificate is being stored. */
  readonly onInstall: () => Promise<void>
  readonly onRemove: (id: number) => void
}

/** A runner on a database of its own, with an authority that takes every order. */
async function openRunner(order: (names: readonly string[]) => Promise<void>, issuing?: Issuing) {
  const place = await openOrderDatabase()
  const { db, timers } = place
  const client: Pick<AcmeClient, 'order' | 'findOrder' | 'download' | 'renewalWindow'> = {
    async order(_, names) {
      await order(names)
      return { ...processing, url: 'https://ca.test/o' }
    },
    findOrder: () =>
      Promise.resolve({ ...processing, ...(issuing && { certificate: 'https://ca.test/c' }), retryAfterMs: undefined }),
    download: () => Promise.resolve(issuing?.chain ?? assert.fail()),
    renewalWindow: () => Promise.resolve(undefined),
  }
  const signer = () => Promise.resolve({ key: '', account: 'a' })
  const runner = new OrderRunner({
    db,
    sealer: createSealer(Buffer.alloc(32, 1)),
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    providers: { open: () => Promise.resolve({}) },
    accounts: { client: () => client, signer },
    revocations: { sweep: () => Promise.resolve([]) },
    uploads: {
      async install() {
        await issuing?.onInstall()
        return 7
      },
      chain: () => Promise.resolve(issuing?.chain),
      remove(id: number) {
        issuing?.onRemove(id)
        return Promise.resolve(true)
      },
    },
    onStep: () => undefined,
    onClose: () => undefined,
  } as unknown as OrderRunnerDependencies)
  return {
    db,
    timers,
    runner,
    add: (id: string) => place.addOrder(id, { progress: { step: 'order' } }),
    stepOf: async (id: string) =>
      (JSON.parse((await store.findOrder(db, id))?.progress ?? '') as { step: string }).step,
    /** As when the disk is full: what is stored can be read, and nothing can be written. */
    refuseWrites: (id: string) =>
      sql`create trigger full before update on certificate_orders when old.id = ${sql.lit(id)}
        begin select raise(abort, 'database or disk is full'); end`.execute(db),
    takeWrites: () => sql`drop trigger full`.execute(db),
    async [Symbol.asyncDispose]() {
      await runner.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('while the database takes no results, an authority is asked once a minute at most, and then the order goes on', async () => {
  let placedOrders = 0
  await using place = await openRunner(() => Promise.resolve(void (placedOrders += 1)))
  await place.add('a')
  await place.refuseWrites('a')
  place.runner.wake()
  await eventually(
    () => place.timers.monotonic(),
    (passed) => passed > 10 * minute,
  )
  const minutes = Math.ceil(place.timers.monotonic() / minute)
  assert.ok(placedOrders >= 2 && placedOrders <= minutes + 1, `${placedOrders} orders in ${minutes} minutes`)
  await place.takeWrites()
  await eventually(
    () => place.stepOf('a'),
    (step) => step === 'download',
  )
})

test('a step whose result cannot be written does not let others be done twice at once', async () => {
  let running = 0
  let most = 0
  await using place = await openRunner(async ([name]) => {
    if (name !== 'slow.example.org') return
    running += 1
    most = Math.max(most, running)
    await place.timers.delay(10 * minute)
    running -= 1
  })
  await place.add('a')
  await place.add('slow')
  await place.refuseWrites('a')
  place.runner.wake()
  await eventually(
    () => place.stepOf('slow'),
    (step) => step === 'download',
  )
  assert.equal(most, 1)
})

test('a certificate that is issued while its order is changed stays with it; while it is deleted, it goes too', async () => {
  const now = Date.now()
  const validity = { notBefore: now - minute, notAfter: now + 90 * 24 * 60 * minute }
  const { chain } = createTestAuthority().issue({ names: ['a.example.org'], ...validity })
  for (const isDeleted of [false, true]) {
    const removed: number[] = []
    let installed = 0
    await using place = await openRunner(() => Promise.resolve(), {
      chain,
      async onInstall() {
        installed += 1
        if (installed > 1) return
        if (isDeleted) return store.deleteOrder(place.db, 'a', now)
        const order = (await store.findOrder(place.db, 'a')) ?? assert.fail()
        const values = { ...columnsOf({ ...begin({}, 'Changed', now), nextAt: null }), domains: 'b.example.org' }
        await store.changeOrder(place.db, order, { values, isOver: true, now })
      },
      onRemove: (id) => void removed.push(id),
    })
    await place.add('a')
    place.runner.wake()
    const found = await eventually(
      async () => ({ order: await store.findOrder(place.db, 'a'), removed }),
      ({ order }) => (isDeleted ? removed.length > 0 : order?.certificate_id === 7),
    )
    assert.deepEqual([found.order?.domains, removed], isDeleted ? [undefined, [7]] : ['b.example.org', []])
    const end = Math.floor(validity.notAfter / 1000) * 1000
    if (!isDeleted) assert.deepEqual([found.order?.not_after, found.order?.next_at], [end, null])
  }
})
