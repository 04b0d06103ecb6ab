import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog } from '@hearth/runtime'
import { interfaceRow, peerRow } from '../../test/stored-rows.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { Placement } from '../interfaces/placement.ts'
import { AccessInForce } from './access-in-force.ts'
import type { Policy } from './policy/policy.ts'
import { accessPeerRows, setClosed } from './store.ts'

/** One peer in a database, and a table that notes the addresses in every policy that it is given. */
async function open() {
  await using cleanup = new AsyncDisposableStack()
  const database = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  await database.query
    .insertInto('interfaces')
    .values(interfaceRow({ address: '10.1.0.1/24' }))
    .execute()
  const peer = peerRow('p', { name: 'Phone', ip: '10.1.0.2' })
  await database.query.insertInto('peers').values(peer).execute()
  const given: string[][] = []
  const note = (policy: Policy) => {
    given.push([...policy.peers.values()].flatMap(({ addresses }) => addresses))
    return Promise.resolve()
  }
  const nothing = () => Promise.resolve()
  const table = {
    apply: note,
    replace: note,
    hasDrifted: () => Promise.resolve(false),
    repair: nothing,
    remove: nothing,
  }
  const log = createLog({ name: 'test', level: 'silent' })
  const access = new AccessInForce({ database, table, placement: new Placement(), log })
  await access.reload()
  const [row] = await accessPeerRows(database.query)
  assert.ok(row !== undefined)
  const kept = cleanup.move()
  return { access, given, row, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

test('without rules no peers are held, and a change of one asks the table for nothing', async () => {
  await using it = await open()
  assert.deepEqual(it.given, [[]])
  const moved = { ...it.row, ip: '10.1.0.9' }
  assert.equal(await it.access.during([{ before: it.row, after: moved }], () => Promise.resolve('done')), 'done')
  assert.deepEqual(it.given, [[]])
  assert.deepEqual([...(await it.access.policy()).peers.keys()], ['p'], 'who asks is told of them all the same')
})

test('with rules the peers are known, old and new addresses while one changes, and as before when that fails', async () => {
  await using it = await open()
  await it.access.change((trx) => setClosed(trx, 'wg0', true))
  assert.deepEqual(it.given.splice(0), [[], ['10.1.0.2']])
  const moved = { ...it.row, ip: '10.1.0.9' }
  await it.access.during([{ before: it.row, after: moved }], () => Promise.resolve())
  assert.deepEqual(it.given.splice(0), [['10.1.0.2', '10.1.0.9'], ['10.1.0.9']])
  const refused = it.access.during([{ before: moved, after: it.row }], () => Promise.reject(new Error('no')))
  await assert.rejects(refused, /no/)
  assert.deepEqual(it.given.splice(0), [['10.1.0.9', '10.1.0.2'], ['10.1.0.9']])
  await it.access.change((trx) => setClosed(trx, 'wg0', false))
  assert.deepEqual(it.given.splice(0), [[]], 'and are forgotten with the last rule')
})

test('a peer that changes while the first rule is made is known as it is in the end', async () => {
  await using it = await open()
  const moved = { ...it.row, ip: '10.1.0.9' }
  await it.access.during([{ before: it.row, after: moved }], async () => {
    await it.access.change((trx) => setClosed(trx, 'wg0', true))
  })
  assert.deepEqual(it.given.at(-1), ['10.1.0.9'])
})
