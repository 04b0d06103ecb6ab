import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { LoggedEntry, QueryBatch } from '../src/nodes/link-schema.ts'
import { done, type FakeNode, joinedNode, startWithNodes } from './nodes-fixture.ts'
import { wireOf } from './query-log-fixture.ts'

interface EntryParts {
  readonly at?: number
  readonly client?: number
  readonly name?: string
  readonly isBlocked?: boolean
}

/** An entry as a node sends it: 1 second old, allowed, of nobody. */
const entry = ({ at = Date.now() - 1000, client = 0, name = 'www.example', isBlocked = false }: EntryParts) =>
  [
    at,
    client,
    Buffer.from(wireOf(name)).toString('base64url'),
    1,
    isBlocked ? 1 : 0,
    isBlocked ? 3 : 0,
    0,
    0,
    0,
    null,
    1500,
  ] satisfies LoggedEntry

const count = randomUUID()
const batch = (number: number, entries: readonly LoggedEntry[], more: Partial<QueryBatch> = {}): QueryBatch => ({
  count,
  number,
  sent_at: Date.now(),
  entries: [...entries],
  ...more,
})

/** A service with a node of two peers. */
async function startWorld() {
  const world = await startWithNodes()
  const berlin = await joinedNode(world, 'Berlin')
  await done(world, 'POST', '/api/interfaces', { node_id: berlin.id, name: 'wg0', address: '10.8.0.1/24' })
  const peer = (name: string, on: string) => done(world, 'POST', '/api/peers', { name, interface: on })
  const peers = [await peer('phone', 'wg0'), await peer('laptop', 'wg0')]
  await berlin.dns()
  const files = (await berlin.dns(null))?.files ?? []
  const clients = files.find(({ name }) => name === 'clients.json')
  assert.ok(clients !== undefined)
  const known: { id: string; number: number }[] = JSON.parse(await berlin.fetch(clients.sha256, clients.size))
  const numberOf = (id: string) => known.find((one) => one.id === id)?.number ?? 0
  const queries = async (query = '') =>
    (await world.service.call('GET', `/api/dns/queries?limit=100${query}`)).body.data
  return {
    world,
    berlin,
    peers,
    phone: numberOf(peers[0].id),
    laptop: numberOf(peers[1].id),
    queries,
    async [Symbol.asyncDispose]() {
      berlin[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** The status and the message with which a batch is refused. */
async function refusal(node: FakeNode, body: object): Promise<string> {
  const error: Error & { status?: number } = await node.queries(body).then(
    () => assert.fail('it was taken'),
    (reason: Error) => reason,
  )
  return `${error.status}: ${error.message}`
}

describe('queries of nodes', () => {
  test('stand in the log, the statistics, the export and under the name of their peer', async () => {
    await using fixture = await startWorld()
    const { world, berlin, phone, laptop, queries } = fixture
    const entries = [
      entry({ client: phone, name: 'news.example' }),
      entry({ client: phone, name: 'ads.example', isBlocked: true }),
      entry({ client: laptop, name: 'mail.example', at: Date.now() - 3_600_000 }),
      entry({ name: 'anonymous.example' }),
    ]
    assert.deepEqual(await berlin.queries(batch(1, entries)), { counted: 1 })
    const all = await queries()
    assert.deepEqual(
      all.map((one: { client: string; domain: string; status: string }) => [one.client, one.domain, one.status]),
      [
        [null, 'anonymous.example', 'allowed'],
        ['phone', 'ads.example', 'blocked'],
        ['phone', 'news.example', 'allowed'],
        ['laptop', 'mail.example', 'allowed'],
      ],
    )
    assert.equal((await queries('&client=phone')).length, 2)
    assert.equal((await queries('&client=laptop')).length, 1)
    assert.match(
      (await world.service.call('GET', '/api/dns/queries/export')).text,
      /,laptop,10\.8\.0\.3,mail\.example,/,
    )
    const statistics = (await world.service.call('GET', '/api/dns/stats?hours=24')).body.data
    assert.deepEqual([statistics.total_queries, statistics.blocked_queries], [4, 1])
  })

  test('count once, however often a batch comes, also when several answers were lost at once', async () => {
    await using fixture = await startWorld()
    const { berlin, phone, queries } = fixture
    const first = batch(1, [entry({ client: phone, name: 'once.example' })])
    const answers = await Promise.allSettled([berlin.queries(first), berlin.queries(first), berlin.queries(first)])
    for (const answer of answers) {
      if (answer.status === 'fulfilled') assert.deepEqual(answer.value, { counted: 1 })
      else assert.match(String(answer.reason), /Another batch of this node is being written/)
    }
    assert.deepEqual(await berlin.queries(batch(2, [entry({ client: phone, name: 'twice.example' })])), { counted: 2 })
    assert.deepEqual(await berlin.queries(first), { counted: 2 }, 'a replay')
    assert.equal((await queries()).length, 2)
  })

  test('of peers that are not on the node are left out, and of deleted ones', async () => {
    await using fixture = await startWorld()
    const { world, berlin, peers, phone, laptop, queries } = fixture
    using paris = await joinedNode(world, 'Paris')
    assert.deepEqual(await paris.queries(batch(1, [entry({ client: phone }), entry({ client: 4711 })])), { counted: 1 })
    assert.deepEqual(await queries(), [])
    await berlin.queries(batch(1, [entry({ client: phone }), entry({ client: laptop }), entry({ client: 4711 })]))
    const seen = (await queries()).map((one: { client: string }) => one.client)
    assert.deepEqual(seen.toSorted(), ['laptop', 'phone'])
    await done(world, 'DELETE', `/api/peers/${peers[0].id}`)
    await eventually(
      async () => (await queries()).length,
      (length) => length === 1,
      { what: 'the queries of the phone are gone', everyMs: 200 },
    )
    await berlin.queries(batch(2, [entry({ client: phone, name: 'late.example' })]))
    assert.equal((await queries()).length, 1, 'they were made before it was deleted')
  })

  test('of an interface that left a lost node are taken when they were made before, and none of a deleted peer', async () => {
    await using fixture = await startWorld()
    const { world, berlin, peers, phone, laptop, queries } = fixture
    using paris = await joinedNode(world, 'Paris')
    await done(world, 'PUT', '/api/interfaces/wg0', { node_id: paris.id })
    await done(world, 'DELETE', `/api/peers/${peers[1].id}`)
    const before = [entry({ client: phone, name: 'before.example' }), entry({ client: laptop, name: 'gone.example' })]
    await berlin.queries(batch(1, before))
    const names = (await queries()).map((one: { domain: string }) => one.domain)
    assert.deepEqual(names, ['before.example'])
  })

  test('that were deleted here do not come back', async () => {
    await using fixture = await startWorld()
    const { world, berlin, phone, queries } = fixture
    const at = Date.now() - 60_000
    await berlin.queries(batch(1, [entry({ client: phone, at })]))
    const gone = await world.service.call('POST', '/api/dns/queries/purge', {})
    assert.ok(gone.status < 300, gone.text)
    await berlin.queries(batch(2, [entry({ client: phone, at }), entry({ client: phone, at: Date.now() })]))
    assert.equal((await queries()).length, 1)
  })

  test('times are those of the service, and what no node sends is refused with the reason', async () => {
    await using fixture = await startWorld()
    const { berlin, phone, queries } = fixture
    const ahead = Date.now() + 7_200_000
    await berlin.queries(batch(1, [entry({ client: phone, at: ahead - 5000 })], { sent_at: ahead }))
    const [{ timestamp }] = await queries()
    const age = Date.now() - Date.parse(timestamp)
    assert.ok(age > 4000 && age < 60_000, `${age} ms old`)

    const named = (name: string): LoggedEntry => {
      const [at, client, , ...rest] = entry({ client: phone })
      return [at, client, name, ...rest]
    }
    const text = (wire: string) => Buffer.from(wire, 'latin1').toString('base64url')
    const refused: [object, RegExp][] = [
      [batch(2, [entry({ at: Date.now() + 60_000 })]), /^422: entries\.0\.0 is a time after sent_at$/],
      [batch(2, [named(text('\x05short\0'.slice(0, 4)))]), /^422: entries\.0\.2 is not a domain name in wire form$/],
      [batch(2, [named(text('\x03WWW\0'))]), /^422: entries\.0\.2 is not/],
      [batch(2, [named(text('\x01a\0\x01b\0'))]), /^422: entries\.0\.2 is not/],
      [batch(2, [named('a'.repeat(341))]), /^422: entries\.0\.2 /],
      [batch(2, [named('a'.repeat(1 << 20))]), /^413: The body has more than 1048576 bytes$/],
      [batch(2, [entry({ client: -1 })]), /^422: entries\.0\.1 /],
      [batch(0, [entry({})]), /^422: number /],
      [
        batch(
          2,
          Array.from({ length: 2001 }, () => entry({})),
        ),
        /^422: entries /,
      ],
      [{ ...batch(2, []), count: 'mine' }, /^422: count /],
    ]
    for (const [body, reason] of refused) assert.match(await refusal(berlin, body), reason)
    assert.equal((await queries()).length, 1)
    assert.deepEqual(await berlin.queries(batch(2, [entry({ client: phone })])), { counted: 2 })
  })

  test('a node logs by the settings of the service, and one of an older version logs nothing', async () => {
    await using fixture = await startWorld()
    const { world, berlin } = fixture
    const settings = async () => {
      const files = (await berlin.dns(null))?.files ?? []
      const file = files.find(({ name }) => name === 'settings.json')
      const read = JSON.parse(await berlin.fetch(file?.sha256 ?? '', file?.size ?? 0))
      return [read.queryLog, read.anonymizeClients, read.logRetentionDays]
    }
    assert.deepEqual(await settings(), ['all', false, 7])
    const change = { query_log: 'blocked', anonymize_clients: true, log_retention_days: 3 }
    await done(world, 'PUT', '/api/dns/settings', change)
    assert.deepEqual(await settings(), ['blocked', true, 3])
    berlin.logs = false
    assert.deepEqual(await settings(), ['none', true, 3])
  })
})
