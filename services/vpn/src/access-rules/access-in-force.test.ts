import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog } from '@hearth/runtime'
import { migrations } from '../database/migrations/index.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { AccessInForce } from './access-in-force.ts'
import type { Policy } from './policy/policy.ts'
import { accessPeerRows, setClosed } from './store.ts'

const texts = { name: 'wg0', address: '10.1.0.1/24', address6: null, dns: '', private_key: '', public_key: 'key' }
const switches = { nat: 1, forwarding: 1, enabled: 1 }
const numbers = { listen_port: 51_820, mtu: 1420, next_host: 0, created_at: 0, updated_at: 0 }
const on: InterfaceRow = { ...texts, ...switches, ...numbers }

/** One peer in a database, and a table that notes the addresses in every policy that it is given. */
async function open() {
  await using cleanup = new AsyncDisposableStack()
  const database = openDatabase<Tables>({ file: ':memory:' })
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  await database.query.insertInto('interfaces').values(on).execute()
  const peer = {
    id: 'p',
    name: 'Phone',
    name_key: 'phone',
    interface: 'wg0',
    ip: '10.1.0.2',
    ip_number: 1,
    public_key: 'k',
  }
  const sets = {
    routing_mode: 'full_tunnel',
    allowed_ips: '[]',
    persistent_keepalive: 0,
    enabled: 1,
    client_isolation: 0,
  }
  const more = {
    created_at: 0,
    updated_at: 0,
    dns_number: 1,
    dns_filtering: 1,
    dns_logging: 1,
    tags: '[]',
    tag_keys: '',
  }
  await database.query
    .insertInto('peers')
    .values({ ...peer, ...sets, ...more } as never)
    .execute()
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
  const access = new AccessInForce({ database, table, log: createLog({ name: 'test', level: 'silent' }) })
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
