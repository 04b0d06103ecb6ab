import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresDatabase, onlyOne, postgresObstacle, concurrentStatuses } from '@hearth/testing'
import { startService, testPassword, type TestService } from './in-process.ts'

/** Every create of something that there may be once, with the members that make it the same. */
async function faultsOf(service: TestService): Promise<string[]> {
  const post = (path: string, body: (index: number) => object) => async (index: number) =>
    service.call('POST', path, body(index))
  await service.call('POST', '/api/interfaces', { name: 'base', address: '10.7.0.1/24', listen_port: 51_900 })
  const user = { password: testPassword, role: 'user' }
  const creates: [string, (index: number) => Promise<{ status: number }>][] = [
    [
      'interface of one name',
      post('/api/interfaces', (index) => ({
        name: 'wg0',
        address: `10.${index + 10}.0.1/24`,
        listen_port: 51_820 + index,
      })),
    ],
    [
      'interface on one port',
      post('/api/interfaces', (index) => ({
        name: `port${index}`,
        address: `10.${index + 20}.0.1/24`,
        listen_port: 51_840,
      })),
    ],
    [
      'interface with one network',
      post('/api/interfaces', (index) => ({
        name: `net${index}`,
        address: '10.40.0.1/24',
        listen_port: 51_850 + index,
      })),
    ],
    ['peer of one name', post('/api/peers', () => ({ name: 'Phone', interface: 'base' }))],
    [
      'peer with one address',
      post('/api/peers', (index) => ({ name: `p${index}`, interface: 'base', ip: '10.7.0.77' })),
    ],
    [
      'user of one name',
      post('/api/users', (index) => ({ ...user, username: 'alex', email: `alex${index}@example.org` })),
    ],
    [
      'user with one e-mail address',
      post('/api/users', (index) => ({ ...user, username: `sam${index}`, email: 'sam@example.org' })),
    ],
    ['rule for everybody', post('/api/dns/rules', () => ({ action: 'block', domain: 'ads.example' }))],
    [
      'rule for one client',
      post('/api/dns/rules', () => ({ action: 'block', domain: 'ads.example', client: 'Phone' })),
    ],
    ['rule for names below', post('/api/dns/rules', () => ({ action: 'allow', domain: '*.ads.example' }))],
    [
      'list of one name',
      post('/api/dns/blocklists', (index) => ({ name: 'Own', url: `http://127.0.0.1:9/${index}`, enabled: false })),
    ],
    [
      'list at one address',
      post('/api/dns/blocklists', (index) => ({
        name: `Own ${index}`,
        url: 'http://127.0.0.1:9/list',
        enabled: false,
      })),
    ],
  ]
  const faults: string[] = []
  for (const [what, create] of creates) {
    const statuses = await concurrentStatuses(create)
    if (statuses.join() !== onlyOne(201).join()) faults.push(`${what}: ${statuses.join(' ')}`)
  }
  const rules = (await service.call('GET', '/api/dns/rules')).body.data
  if (rules.length !== 3) faults.push(`${rules.length} rules`)
  return faults
}

test('of eight identical simultaneous creations one succeeds and seven get a conflict, on SQLite', async () => {
  await using service = await startService({ OUTBOUND_ALLOW: '127.0.0.1:9' })
  assert.deepEqual(await faultsOf(service), [])
})

test(
  'of eight identical simultaneous creations one succeeds and seven get a conflict, on PostgreSQL',
  { skip: postgresObstacle() },
  async () => {
    const DATABASE_URL = await createPostgresDatabase()
    await using service = await startService({ OUTBOUND_ALLOW: '127.0.0.1:9', DATABASE_URL })
    assert.deepEqual(await faultsOf(service), [])
  },
)

test('a rule turned to block and to allow at the same time is one rule', { skip: postgresObstacle() }, async () => {
  const DATABASE_URL = await createPostgresDatabase()
  await using service = await startService({ DATABASE_URL })
  const statuses = await concurrentStatuses((index) =>
    service.call('POST', '/api/dns/rules', { action: index % 2 === 0 ? 'block' : 'allow', domain: 'turn.example' }),
  )
  assert.ok(
    statuses.every((status) => [200, 201, 409].includes(status)),
    statuses.join(),
  )
  assert.equal((await service.call('GET', '/api/dns/rules')).body.data.length, 1)
})
