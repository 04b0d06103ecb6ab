import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DatabaseLocation } from '@hearth/database'
import { createLog } from '@hearth/runtime'
import { postgresObstacle } from '@hearth/testing'
import { openOnPostgres } from '../../test/postgres-world.ts'
import { openTrafficFixture } from '../../test/traffic-fixture.ts'
import { DnsWatch } from './dns-watch.ts'
import { Hints } from './hints.ts'
import { PeerWatch } from './peer-watch.ts'
import { HintQuery } from './schema.ts'
import type { TunnelFinding } from './tunnelling.ts'

const log = createLog({ name: 'test', level: 'silent' })
const minute = 60_000
const day = 86_400_000
const names = { DE: 'Germany', AT: 'Austria', CH: 'Switzerland', BR: 'Brazil' } as Record<string, string>
const unknown = { latitude: null, longitude: null, organization: null }
/** The first number of an address says where it is. */
const countries: Record<string, string> = { '1': 'DE', '2': 'AT', '3': 'CH', '4': 'BR' }
const positions: Record<string, [number, number]> = { DE: [52.5, 13.4], BR: [-23.5, -46.6] }

/** The hints of a service with the peers p2 and p3. */
async function openWorld(location: DatabaseLocation = { file: ':memory:' }) {
  const fixture = await openTrafficFixture(location, { p2: 'wg0', p3: 'wg0' })
  const { clock, database } = fixture
  const { query: db } = database
  const settings = { hints_two_places: true, hints_new_country: true, hints_tunnelling: true, hints_list_surge: true }
  const told: string[] = []
  const changes: (string | null)[] = []
  const open = () =>
    Hints.open({
      db,
      clock,
      log,
      reports: { notify: ({ class: id, title }) => told.push(`${id}: ${title}`) },
      publish: (event) => void (event.type === 'changed' && changes.push(event.id)),
      settings: () => settings,
      countriesUnknown: () => null,
    })
  const hints = await open()
  const atlas = {
    place(address: string) {
      const country = countries[address.split('.')[0] ?? ''] ?? 'ZZ'
      const [latitude = null, longitude = null] = positions[country] ?? []
      return { ...unknown, country, latitude, longitude, asn: country === 'ZZ' ? 0 : 3320 }
    },
    countryName: (code: string) => names[code] ?? code,
  }
  const watchPeers = (on = hints) => new PeerWatch({ db, hints: on, atlas, peer: (id) => ({ name: id }) })
  const peerWatch = watchPeers()
  const dnsWatch = new DnsWatch({ db, hints })
  await db.updateTable('peers').set({ dns_number: 7 }).where('id', '=', 'p2').execute()
  return {
    ...fixture,
    db,
    hints,
    settings,
    told,
    changes,
    open,
    watchPeers,
    dnsWatch,
    list: async (query: object = {}) => (await hints.list(HintQuery.parse(query))).hints,
    /** Sees a peer at an address, with a handshake. */
    async see(address: string, { id = 'p2', watch = peerWatch } = {}) {
      const activity = { endpoint: `${address}:4000`, last_handshake: clock.now() }
      await watch.sampled({ at: clock.now(), changed: [{ id, name: id, activity }] })
    },
    peerWatch,
    noticeTunnel: (domain: string, names: number) =>
      dnsWatch.noticed({
        at: clock.now(),
        blocked: [],
        tunnels: [{ client: 7, domain, finding: tunnelOf(clock.now(), names) }],
      }),
  }
}
/** A list as it is stored. */
const list = {
  id: 'l1',
  number: 3,
  name: 'Ads',
  name_key: 'ads',
  url: 'https://example.org/ads',
  format: 'hosts',
  enabled: 1,
  sha256: null,
  entries: 4000,
  unsupported: '{}',
  last_updated: null as number | null,
  last_checked: null,
  last_error: null,
  etag: null,
  last_modified: null,
  expires_seconds: null,
  created_at: 0,
} as const

type World = Awaited<ReturnType<typeof openWorld>>

const tunnelOf = (at: number, names: number): TunnelFinding => ({
  from: at - 5 * minute,
  to: at,
  queries: names,
  names,
  meanLength: 48.25,
  maxLabel: 60,
  entropy: 4.1,
  missingShare: 0.25,
  types: { 16: names - 10, 1: 10 },
  bytesPerMinute: 900,
  examples: ['x1', 'x2'],
})

function testHints(open: () => Promise<World>, skip: false | string): void {
  test('a key used from two places makes one hint, with where and when, that goes on', { skip }, async () => {
    await using world = await open()
    for (let round = 0; round < 10; round += 1) {
      await world.see(round % 2 === 0 ? '1.1.1.1' : '4.4.4.4')
      world.clock.advance(30_000)
    }
    const [hint, ...others] = await world.list()
    assert.deepEqual(others, [])
    assert.equal(hint?.title, 'The key of p2 is used from two places')
    assert.equal(hint?.count, 6)
    assert.deepEqual(hint?.subject, { type: 'peer', id: 'p2', name: 'p2', exists: true })
    assert.ok(hint?.evidence.kind === 'two_places')
    assert.equal(hint.evidence.distance_km, 10_245)
    assert.deepEqual(
      hint.evidence.sightings.slice(0, 2).map(({ address, country }) => `${address} ${country}`),
      ['1.1.1.1 Germany', '4.4.4.4 Brazil'],
    )
    assert.deepEqual(world.told, [], 'its report tells of it')
    const about = world.hints.answer(hint.id, { answer: 'expected', scope: 'topic' }, 'admin')
    await assert.rejects(about, /about no country/)
    assert.ok(world.changes.includes(hint.id))
  })

  test(
    'a journey through new countries makes one hint and one message; the first week is quiet',
    { skip },
    async () => {
      await using world = await open()
      await world.see('1.1.1.1')
      world.clock.advance(day)
      await world.see('2.2.2.2')
      assert.deepEqual(await world.list(), [])
      world.clock.advance(9 * day)
      await world.see('4.4.4.4')
      world.clock.advance(day)
      await world.see('3.3.3.3')
      await world.see('2.2.2.2')
      const [hint, ...others] = await world.list()
      assert.deepEqual(others, [])
      assert.equal(hint?.title, 'p2 connected from Brazil and Switzerland for the first time')
      assert.ok(hint?.evidence.kind === 'new_country')
      assert.deepEqual(
        hint.evidence.known.map(({ country }) => country),
        ['Austria', 'Germany'],
      )
      assert.deepEqual(world.told, ['peer.new-country: p2 connected from Brazil for the first time'])
      await world.peerWatch.flush(world.clock.now())
      const next = world.watchPeers(await world.open())
      await world.see('4.4.4.4', { watch: next })
      assert.equal((await world.list())[0]?.count, 2, 'the next process knows the countries')
    },
  )

  test('what is expected for a peer or for a country makes no hint, until that is taken back', { skip }, async () => {
    await using world = await open()
    for (const id of ['p2', 'p3']) await world.see('1.1.1.1', { id })
    world.clock.advance(8 * day)
    for (const id of ['p2', 'p3']) await world.see('4.4.4.4', { id })
    const [first] = await world.list({ peer: 'p2' })
    await world.hints.answer(first?.id ?? '', { answer: 'expected', scope: 'topic' }, 'admin')
    assert.deepEqual(await world.list(), [], 'the hint of the other peer is answered, too')
    const [exception] = world.hints.exceptions()
    assert.deepEqual([exception?.topic, exception?.subject, exception?.created_by], ['BR', null, 'admin'])
    world.clock.advance(10 * day)
    await world.see('3.3.3.3', { id: 'p3' })
    const [second] = await world.list()
    await world.hints.answer(second?.id ?? '', { answer: 'expected', scope: 'subject' }, 'admin')
    world.clock.advance(10 * day)
    await world.see('2.2.2.2', { id: 'p3' })
    assert.deepEqual(await world.list(), [])
    for (const { id } of world.hints.exceptions()) await world.hints.deleteException(id)
    assert.deepEqual((await world.open()).exceptions(), [])
    world.clock.advance(181 * day)
    await world.see('1.1.1.1', { id: 'p3' })
    assert.equal((await world.list()).length, 1)
  })

  test(
    'names that look like a tunnel make one hint a domain; one that is done comes again after an hour',
    { skip },
    async () => {
      await using world = await open()
      await world.noticeTunnel('evil.example', 120)
      world.clock.advance(10 * minute)
      await world.noticeTunnel('evil.example', 400)
      await world.noticeTunnel('other.example', 110)
      const hints = await world.list({ kind: 'tunnelling' })
      assert.deepEqual(hints.map(({ topic, count }) => `${topic} ${count}`).sort(), [
        'evil.example 2',
        'other.example 1',
      ])
      const evil = hints.find(({ topic }) => topic === 'evil.example')
      assert.ok(evil?.evidence.kind === 'tunnelling')
      assert.deepEqual(evil.evidence.types, [
        { type: 'TXT', count: 390 },
        { type: 'A', count: 10 },
      ])
      await world.hints.answer(evil.id, { answer: 'done', scope: 'subject' }, 'admin')
      world.clock.advance(30 * minute)
      await world.noticeTunnel('evil.example', 400)
      assert.equal((await world.list()).length, 1)
      world.clock.advance(40 * minute)
      await world.noticeTunnel('evil.example', 400)
      assert.equal((await world.list()).length, 2)
      assert.equal(world.told.length, 3)
      await world.dnsWatch.forget(world.clock.now() + 1, 7)
      assert.deepEqual(await world.list({ status: 'all' }), [], 'a purge of the queries takes the names with it')
    },
  )

  test(
    'a list that blocks ten times as much makes a hint with its names, after a restart as well',
    { skip },
    async () => {
      await using world = await open()
      await world.db.insertInto('lists').values(list).execute()
      const block = (watch: DnsWatch, count: number) =>
        watch.noticed({
          at: world.clock.now(),
          tunnels: [],
          blocked: [
            {
              list: 3,
              count,
              names: [
                { name: 'cdn.example', client: 7, count: 5 },
                { name: 'a.example', client: 8, count: 5 },
              ],
            },
          ],
        })
      for (let hour = 0; hour < 80; hour += 1) {
        await block(world.dnsWatch, 60)
        await world.dnsWatch.check(world.clock.now())
        world.clock.advance(60 * minute)
      }
      await world.dnsWatch.flush(world.clock.now())
      const next = new DnsWatch({ db: world.db, hints: world.hints })
      await world.db.updateTable('lists').set({ last_updated: world.clock.now() }).execute()
      await block(next, 450)
      assert.deepEqual(await world.list(), [])
      await block(next, 450)
      const [hint] = await world.list()
      assert.equal(hint?.title, 'Ads blocks 15 times as much as usual')
      assert.ok(hint?.evidence.kind === 'list_surge')
      const { count, usual, days, after_update, names } = hint.evidence
      assert.deepEqual([count, usual, days, after_update], [900, 60, 3, true])
      assert.deepEqual(names[0], { domain: 'cdn.example', count: 10 })
      assert.deepEqual(hint.subject, { type: 'list', id: 'l1', name: 'Ads', exists: true })
      assert.equal(world.told.length, 1)
    },
  )

  test('of a kind that is switched off nothing is watched, and nothing is kept', { skip }, async () => {
    await using world = await open()
    const swap = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        await world.see(round % 2 === 0 ? '1.1.1.1' : '4.4.4.4')
        world.clock.advance(30_000)
      }
    }
    const block = (count: number) =>
      world.dnsWatch.noticed({ at: world.clock.now(), tunnels: [], blocked: [{ list: 3, count, names: [] }] })
    const states = async () =>
      (await world.db.selectFrom('hint_states').select('kind').execute()).map(({ kind }) => kind).toSorted()
    await world.db.insertInto('lists').values(list).execute()
    await swap(4)
    await block(60)
    await world.dnsWatch.flush(world.clock.now())
    assert.deepEqual(await states(), ['list_surge', 'new_country'])
    const { settings } = world
    settings.hints_two_places = settings.hints_new_country = settings.hints_list_surge = false
    await swap(1)
    await block(60)
    await world.dnsWatch.check(world.clock.now())
    await world.peerWatch.flush(world.clock.now())
    await world.dnsWatch.flush(world.clock.now())
    assert.deepEqual(await states(), [])
    settings.hints_two_places = settings.hints_new_country = settings.hints_list_surge = true
    await swap(3)
    assert.deepEqual(await world.list(), [], 'what was seen before does not count')
    await swap(8)
    assert.equal((await world.list()).length, 1)
  })

  test('pages of hints follow each other, kinds are switched off, and old hints go', { skip }, async () => {
    await using world = await open()
    for (let index = 0; index < 7; index += 1) {
      await world.noticeTunnel(`d${index}.example`, 100 + index)
      world.clock.advance(minute)
    }
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const part = await world.hints.list(HintQuery.parse({ limit: '3', ...(cursor && { cursor }) }))
      assert.equal(part.open, 7)
      seen.push(...part.hints.map(({ topic }) => topic ?? ''))
      cursor = part.next_cursor
    } while (cursor !== null)
    assert.deepEqual(
      seen,
      ['d6', 'd5', 'd4', 'd3', 'd2', 'd1', 'd0'].map((name) => `${name}.example`),
    )
    world.settings.hints_tunnelling = false
    await world.noticeTunnel('off.example', 100)
    assert.equal((await world.list()).length, 7)
    await assert.rejects(world.hints.read('00000000-0000-4000-8000-000000000000'), /There is no hint/)
    world.clock.advance(91 * day)
    await world.hints.cleanUp()
    assert.deepEqual(await world.list({ status: 'all' }), [])
  })
}

describe('hints on SQLite', () => testHints(() => openWorld(), false))

describe('hints on PostgreSQL', () => {
  const skip = postgresObstacle()
  testHints(() => openOnPostgres(openWorld), skip)
})
