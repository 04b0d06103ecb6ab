import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { type DatabaseLocation, migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import { resealAll } from '../database/store.ts'
import type { Tables } from '../tables.ts'
import { Admission } from './admission.ts'
import { NodeAuthority } from './authority.ts'
import { createCertificateRequest } from './certificates.ts'
import { findNodeRow } from './store.ts'
import { lostAfterMs } from './node-statuses.ts'
import { NodeInstances } from './node-instances.ts'
import { Nodes } from './nodes.ts'

const start = Date.parse('2026-11-27T12:00:00Z')
const listeners = [{ address: '127.0.0.1', port: 8110, device: null }]

async function openNodes(location: DatabaseLocation = { file: ':memory:' }) {
  const database = openDatabase<Tables>(location)
  const db = database.query
  await migrate(db, migrations)
  const clock = createManualClock(start)
  const sealer = createSealer(randomBytes(32))
  const authority = new NodeAuthority({ db, sealer, clock })
  const changed: string[] = []
  const securityLog = { record: () => Promise.resolve() }
  const onChanged = (id: string) => changed.push(id)
  const admission = new Admission({
    database,
    clock,
    instances: new NodeInstances(),
    log: { warn: () => undefined },
    authority,
    securityLog,
    traffic: { take: () => Promise.resolve(null) },
    onStored: () => Promise.resolve(),
    onChanged,
  })
  const openList = () => new Nodes({ database, clock, authority, listeners })
  const nodes = openList()
  const statuses = async (list = nodes) => (await list.list()).nodes.map(({ status }) => status)
  const { request } = await createCertificateRequest()
  const join = (token: string, address = '192.0.2.1') =>
    admission.join({ token: token.split('.')[0] ?? '', certificate_request: request, version: '0.1.0' }, address)
  const report = async (id: string) => {
    const row = await findNodeRow(db, id)
    assert.ok(row !== undefined)
    await admission.report(row, { version: '0.1.0' }, '192.0.2.1')
  }
  return {
    db,
    sealer,
    clock,
    authority,
    nodes,
    openList,
    statuses,
    changed,
    join,
    report,
    admission,
    [Symbol.asyncDispose]: () => database.close(),
  }
}

const context = { by: 'admin', host: 'vpn.example.org' }

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(`of many hosts that use a token at once, one joins, on ${kind}`, { skip }, async () => {
    await using world = await openNodes(kind === 'SQLite' ? undefined : { url: await createPostgresDatabase() })
    const { token, url } = await world.nodes.create({ name: 'Berlin', expires_in_hours: 24 }, context)
    assert.equal(url, 'https://vpn.example.org:8110')
    const addresses = Array.from({ length: 8 }, (_, index) => `192.0.2.${index + 1}`)
    const outcomes = await Promise.allSettled(addresses.map((address) => world.join(token, address)))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.deepEqual(await world.statuses(), ['connected'])
    assert.equal(world.changed.length, 1)
  })
}

test('a node is lost after 90 seconds without a report, and connected with the next one', async () => {
  await using world = await openNodes()
  const { node, token } = await world.nodes.create({ name: 'Berlin', expires_in_hours: 1 }, context)
  assert.deepEqual(await world.statuses(), ['waiting'])
  await world.join(token)
  world.clock.advance(lostAfterMs)
  assert.deepEqual(await world.statuses(), ['connected'])
  world.clock.advance(1)
  assert.deepEqual(await world.statuses(), ['lost'])
  assert.deepEqual(
    (await world.nodes.lost()).map(({ name }) => name),
    ['Berlin'],
  )
  assert.deepEqual(await world.statuses(world.openList()), ['connected'], 'a service that has just started waits')
  world.changed.length = 0
  await world.report(node.id)
  assert.deepEqual([await world.statuses(), world.changed], [['connected'], [node.id]])
  await world.report(node.id)
  assert.deepEqual(world.changed, [node.id], 'a report that changes nothing is no news')
})

test('a token works until its end; a request that is none does not use it up', async () => {
  await using world = await openNodes()
  const { node, token } = await world.nodes.create({ name: 'Berlin', expires_in_hours: 1 }, context)
  const body = { token: token.split('.')[0] ?? '', version: '0.1.0' }
  for (const request of ['', 'x', '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----'])
    await assert.rejects(
      world.admission.join({ ...body, certificate_request: request }, '192.0.2.1'),
      /certificate_request is not a request/,
    )
  world.clock.advance(3_600_000)
  await assert.rejects(world.join(token), /This join token does not work/)
  const renewed = await world.nodes.renewToken(node.id, { expires_in_hours: 1 }, context)
  world.clock.advance(3_599_999)
  await world.join(renewed.token)
})

test('an installation has at most 50 nodes', async () => {
  await using world = await openNodes()
  for (let count = 0; count < 50; count += 1)
    await world.nodes.create({ name: `Node ${count}`, expires_in_hours: 1 }, context)
  await assert.rejects(world.nodes.create({ name: 'One more', expires_in_hours: 1 }, context), /50 nodes already/)
})

test('the authority is made once, also when two processes begin at once, and stays when everything is sealed anew', async () => {
  await using world = await openNodes()
  const other = new NodeAuthority(world)
  const [first, second] = await Promise.all([world.authority.read(), other.read()])
  assert.deepEqual(first, second)
  const next = createSealer(randomBytes(32))
  await resealAll(world.db, world.sealer, next)
  assert.deepEqual(await new NodeAuthority({ ...world, sealer: next }).read(), first)
})
