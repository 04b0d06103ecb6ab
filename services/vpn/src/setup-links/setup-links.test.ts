import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseLocation, migrate, openDatabase } from '@hearth/database'
import { createManualClock } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { migrations } from '../database/migrations/index.ts'
import { insertPeerRow, updatePeerRow } from '../peers/store.ts'
import { interfaceRow, peerRow } from '../../test/stored-rows.ts'
import type { Tables } from '../tables.ts'
import { SetupLinks } from './setup-links.ts'

const start = Date.parse('2026-11-26T12:00:00Z')
const hour = 3_600_000
const over = { kind: 'not-found', message: 'This link does not work any more. Ask for a new one.' }

async function openLinks(location: DatabaseLocation = { file: ':memory:' }) {
  const database = openDatabase<Tables>(location)
  const db = database.query
  await migrate(db, migrations)
  await db.insertInto('interfaces').values(interfaceRow()).execute()
  await insertPeerRow(db, peerRow('a', { name: 'Peer a', private_key: 'sealed' }))
  const clock = createManualClock(start)
  const used: string[] = []
  const links = new SetupLinks({
    database,
    clock,
    publicUrl: 'https://vpn.example.org/',
    configurations: async (id) => ({ name: `Peer ${id}`, text: `configuration of ${id}`, standby: null }),
    onUsed: ({ name, address }) => used.push(`${name} from ${address}`),
  })
  const make = async (hours = 24) => {
    const context = { by: { username: 'admin' }, origin: 'http://127.0.0.1:8101' }
    const { link } = await links.create('a', { expires_in_hours: hours }, context)
    return { id: link.id, url: link.url, value: link.url.split('#')[1] ?? '' }
  }
  const redeem = (value: string, address = '192.0.2.1') => links.redeem(value, { address, host: 'vpn.example.org' })
  const statuses = async () => (await links.list('a')).map(({ status }) => status)
  return { db, clock, links, make, redeem, statuses, used, [Symbol.asyncDispose]: () => database.close() }
}

for (const [kind, skip] of [['SQLite', false] as const, ['PostgreSQL', postgresObstacle()] as const]) {
  test(`of many devices that redeem a link at once, one gets the configuration, on ${kind}`, { skip }, async () => {
    await using world = await openLinks(kind === 'SQLite' ? undefined : { url: await createPostgresDatabase() })
    const { value } = await world.make()
    const addresses = Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`)
    const outcomes = await Promise.allSettled(addresses.map((address) => world.redeem(value, address)))
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    assert.equal(won.length, 1)
    assert.equal(won[0]?.value.setup.configuration, 'configuration of a')
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.message, over.message)
    assert.equal(world.used.length, 1)
    const [link] = await world.links.list('a')
    assert.equal(`Peer a from ${link?.used_from}`, world.used[0], 'the list names the one that got it')
    await assert.rejects(world.redeem(value), over)
    assert.deepEqual(await world.statuses(), ['used'])
  })
}

test('the value has 256 bits, stands behind # only, and its hash alone is stored', async () => {
  await using world = await openLinks()
  const { url, value } = await world.make()
  assert.match(url, /^https:\/\/vpn\.example\.org\/setup#[\w-]{43}$/)
  const stored = JSON.stringify(await world.db.selectFrom('setup_links').selectAll().execute())
  assert.ok(!stored.includes(value))
  assert.ok(!JSON.stringify(await world.links.list('a')).includes(value))
})

test('a link works until its end and not a moment longer', async () => {
  await using world = await openLinks()
  const [short, usual, another] = [await world.make(1), await world.make(), await world.make()]
  world.clock.advance(hour)
  await assert.rejects(world.redeem(short.value), over)
  world.clock.advance(23 * hour - 1)
  await world.redeem(usual.value)
  world.clock.advance(1)
  await assert.rejects(world.redeem(another.value), over)
  // Made in one millisecond, they are in any order.
  assert.deepEqual((await world.statuses()).toSorted(), ['expired', 'expired', 'used'])
})

test('a revoked link, and every other text, get the answer of one that was used', async () => {
  await using world = await openLinks()
  const { id, value } = await world.make()
  await world.links.revoke(id)
  for (const text of [value, '', ' ', value.slice(1), `${value} `, value.toUpperCase(), "' or 1=1 --", 'x'.repeat(256)])
    await assert.rejects(world.redeem(text), over)
  assert.deepEqual(await world.statuses(), ['revoked'])
})

test('a used link stays used when it is revoked', async () => {
  await using world = await openLinks()
  const { id, value } = await world.make()
  await world.redeem(value)
  assert.equal((await world.links.revoke(id)).link.status, 'used')
})

test('while a peer is disabled or has expired its links do not work, and they are not used up', async () => {
  await using world = await openLinks()
  const { value } = await world.make()
  for (const [barred, allowed] of [
    [{ enabled: 0 }, { enabled: 1 }],
    [{ expires_at: start }, { expires_at: null }],
  ]) {
    await updatePeerRow(world.db, 'a', barred ?? {})
    await assert.rejects(world.redeem(value), over)
    await updatePeerRow(world.db, 'a', allowed ?? {})
  }
  await world.redeem(value)
})

test('a peer whose key is on the device has no links, and loses those it had', async () => {
  await using world = await openLinks()
  const { value } = await world.make()
  await updatePeerRow(world.db, 'a', { private_key: null, public_key: 'of the device' })
  await assert.rejects(world.make(), /The private key of Peer a is on the device and not here/)
  await assert.rejects(world.redeem(value), over)
})

test('a peer has at most ten open links, and the list keeps the newest twenty that are over', async () => {
  await using world = await openLinks()
  const open = []
  for (let count = 0; count < 10; count += 1) open.push(await world.make())
  await assert.rejects(world.make(), /10 set-up links of this peer are open; revoke one first/)
  for (const { id } of open) await world.links.revoke(id)
  for (let count = 0; count < 20; count += 1) {
    world.clock.advance(1000)
    await world.links.revoke((await world.make()).id)
  }
  assert.equal((await world.statuses()).length, 21)
})
