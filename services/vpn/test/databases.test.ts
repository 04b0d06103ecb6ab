import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  createPostgresDatabase,
  postgresObstacle,
  runCommand,
  startPostgres,
  temporaryDirectory,
} from '@hearth/testing'
import { startService, testPassword, type TestService } from './in-process.ts'

/** Exercises every query of every store through the API: the result must be the same on every database. */
async function exercise(service: TestService): Promise<void> {
  const { call } = { call: service.call.bind(service) }
  for (const [index, name] of ['wg0', 'wg1'].entries()) {
    const made = await call('POST', '/api/interfaces', {
      name,
      address: `10.8.${index}.1/24`,
      address6: `fd08:${index}::1/64`,
      listen_port: 51_820 + index,
    })
    assert.equal(made.status, 201, made.text)
  }
  const names = ['Zoë’s phone', 'alpha', 'Beta_1', 'beta%2', 'gamma']
  const peers = []
  for (const [index, name] of names.entries()) {
    const made = await call('POST', '/api/peers', {
      name,
      interface: index < 4 ? 'wg0' : 'wg1',
      client_isolation: index === 1,
    })
    assert.equal(made.status, 201, made.text)
    peers.push(made.body.data)
  }
  const found = async (query: string) => {
    const reply = await call('GET', `/api/peers?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data.peers.map((peer: { name: string }) => peer.name)
  }
  assert.deepEqual(await found(''), names, 'in the order they were created')
  assert.deepEqual(await found('limit=2&offset=1'), names.slice(1, 3))
  assert.deepEqual(await found('sort=name&order=desc&interface=wg0'), ['Zoë’s phone', 'Beta_1', 'beta%2', 'alpha'])
  assert.deepEqual(await found('search=BETA'), ['Beta_1', 'beta%2'])
  assert.deepEqual(await found('search=%25'), ['beta%2'], 'a percent sign is a character')
  assert.deepEqual(await found('search=_'), ['Beta_1'])
  assert.deepEqual(await found('search=zoë'), ['Zoë’s phone'])
  assert.deepEqual(await found(`search=${encodeURIComponent(peers[4].public_key.slice(0, 12))}`), ['gamma'])
  assert.deepEqual(await found('search=10.8.1.'), ['gamma'])
  assert.deepEqual(await found('interface=none'), [])

  await call('PUT', `/api/peers/${peers[1].id}`, { enabled: false })
  await call('PUT', `/api/peers/${peers[2].id}`, { expires_at: new Date(Date.now() - 1000).toISOString() })
  for (const [status, expected] of [
    ['disabled', ['alpha', 'Beta_1']],
    ['inactive', ['Zoë’s phone', 'beta%2', 'gamma']],
    ['active', []],
    ['connected', []],
  ] as const) {
    assert.deepEqual(await found(`status=${status}`), expected)
    const reply = await call('GET', `/api/peers?status=${status}`)
    assert.equal(reply.body.data.total, expected.length)
  }

  const parallel = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call('POST', '/api/peers', { name: `same-${index % 10}`, interface: 'wg1' }),
    ),
  )
  assert.equal(parallel.filter((reply) => reply.status === 201).length, 10)
  assert.equal(parallel.filter((reply) => reply.status === 409 && reply.body.details.field === 'name').length, 10)

  const clashing = await Promise.all(
    [2, 3, 4].map((host) =>
      call('POST', '/api/interfaces', {
        name: `net${host}`,
        address: `10.77.0.${host}/24`,
        listen_port: 52_000 + host,
      }),
    ),
  )
  assert.deepEqual(
    clashing.map((reply) => reply.status).sort((a, b) => a - b),
    [201, 409, 409],
  )
  await call('DELETE', `/api/interfaces/${clashing.find((reply) => reply.status === 201)?.body.data.name}`)
  assert.ok([400, 404].includes((await call('GET', '/api/peers/%00')).status))
  assert.equal((await call('GET', '/api/peers?search=%00')).status, 400)

  await exerciseAccess(service, peers)
  await exerciseManagedRecords({ call: service.call.bind(service) })

  const user = await service.addUser('someone', 'user')
  for (const [body, field] of [
    [{ username: 'SomeOne', email: 'x@example.org' }, 'username'],
    [{ username: 'else', email: 'SOMEONE@example.org' }, 'email'],
  ] as const) {
    const reply = await call('POST', '/api/users', { ...body, password: testPassword, role: 'user' })
    assert.deepEqual([reply.status, reply.body.details.field], [409, field])
  }
  await call('PUT', '/api/settings', { default_mtu: 1380 })
  await call('PUT', '/api/settings', { default_mtu: 1390, public_endpoint: 'vpn.example.org' })
  const settings = (await call('GET', '/api/settings')).body.data
  assert.deepEqual([settings.default_mtu, settings.public_endpoint], [1390, 'vpn.example.org'])
  assert.equal((await call('DELETE', `/api/users/${user.id}`)).status, 200)
  const deleted = await call('DELETE', '/api/interfaces/wg1')
  assert.equal(deleted.body.data.deleted_peers, 11)
  assert.equal((await call('GET', '/api/peers')).body.data.total, 4)
}

/** Leaves three records, one of them overridden by a local one. */
async function exerciseManagedRecords({ call }: Pick<TestService, 'call'>): Promise<void> {
  const record = { type: 'A', value: '10.8.0.1' }
  const names = ['a.example', '*.a.example', 'b.example', 'gone.example']
  const path = '/api/dns/managed-records/sites-1'
  const put = names.map((name) => Object.assign({ name }, record))
  for (const ttl of [60, 30]) {
    const { body } = await call('POST', path, { put: put.map((one) => Object.assign({ ttl }, one)) })
    assert.deepEqual([body.data.put, body.data.refused], [4, []])
  }
  await call('POST', '/api/dns/records', { name: 'b.example', type: 'CNAME', value: 'a.example' })
  assert.equal((await call('POST', path, { remove: [{ name: 'GONE.example', ...record }] })).body.data.removed, 1)
  const { body } = await call('GET', '/api/dns/managed-records?search=EXAMPLE&limit=2&offset=1')
  assert.deepEqual([body.total, body.data.map((one: { name: string }) => one.name)], [3, ['*.a.example', 'b.example']])
  const kept = (await call('GET', path)).body.data.records as { ttl: number; overridden: boolean }[]
  assert.deepEqual(
    kept.map(({ ttl, overridden }) => [ttl, overridden]),
    [
      [30, false],
      [30, false],
      [30, true],
    ],
  )
  await call('POST', '/api/dns/managed-records/cams', { put: [{ name: 'cam.example', ...record }] })
  assert.equal((await call('DELETE', '/api/dns/managed-records/cams')).body.data.removed, 1)
}

/** Leaves a group, two rules and an interface that denies the rest. */
async function exerciseAccess(service: TestService, peers: readonly { readonly id: string }[]): Promise<void> {
  const done = async (method: string, path: string, body?: object) => {
    const reply = await service.call(method, `/api/access/${path}`, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body.data
  }
  const group = await done('POST', 'groups', { name: 'Zoë’s', peer_ids: peers.slice(0, 3).map(({ id }) => id) })
  await done('PUT', `groups/${group.id}`, { tags: ['x'], peer_ids: [peers[0]?.id] })
  const from = { kind: 'group', id: group.id }
  for (const network of ['192.168.1.0/24', 'fd00::/8'])
    await done('POST', 'rules', { from, to: { kind: 'network', network }, action: 'deny', position: 1 })
  const gone = await done('POST', 'rules', { from: { kind: 'peer', id: peers[1]?.id }, to: from, action: 'allow' })
  await done('PUT', `rules/${gone.id}`, { position: 1, protocol: 'tcp', ports: ['1-5', '7'], note: 'gone soon' })
  await done('DELETE', `rules/${gone.id}`)
  await done('PUT', 'defaults/wg0', { action: 'deny' })
  const answer = await done('GET', `explain?from=${encodeURIComponent('ZOË’S PHONE')}&to=fd00::5&protocol=icmp`)
  assert.deepEqual([answer.action, answer.rule.position], ['deny', 1])
  assert.equal((await service.call('POST', '/api/access/groups', { name: 'ZOË’S' })).status, 409)
  assert.equal((await service.call('DELETE', `/api/access/groups/${group.id}`)).status, 409)
}

/** Content of a service, as its API shows it. */
async function contents(service: TestService): Promise<unknown> {
  const parts = await Promise.all(
    [
      '/api/interfaces',
      '/api/peers',
      '/api/users',
      '/api/settings',
      '/api/access/groups',
      '/api/access/rules',
      '/api/access/defaults',
      '/api/dns/managed-records',
    ].map((path) => service.call('GET', path)),
  )
  return JSON.parse(
    JSON.stringify(parts.map((reply) => reply.body.data)).replaceAll(/"last_login_(at|ip)":[^,}]*/g, '"x":0'),
  )
}

test('everything works on the embedded database', async () => {
  await using service = await startService()
  await exercise(service)
})

test(
  'everything works on PostgreSQL, and a backup of either restores into the other',
  { skip: postgresObstacle() },
  async () => {
    await using postgres = await startPostgres()
    const url = await postgres.createDatabase()
    await using service = await startService({ DATABASE_URL: url })
    await exercise(service)
    const before = await contents(service)
    const config = (
      await service.call('GET', `/api/peers/${(await service.call('GET', '/api/peers')).body.data.peers[0].id}/config`)
    ).text
    const file = join(service.folder, 'backup.gz')
    const command = async (words: string[], more: Record<string, string> = {}) => {
      const { code, stderr } = await runCommand(['vpn', ...words], { DATA_DIR: service.folder, ...more })
      return { code, stderr }
    }
    assert.deepEqual((await command(['backup', file], { DATABASE_URL: url })).code, 0)
    const running = await command(['restore', file], { DATABASE_URL: url })
    assert.equal(running.code, 1)
    assert.match(running.stderr, /in use by another running service/)
    const { admin } = service
    await service.stop()
    assert.equal((await command(['restore', file])).code, 0, 'from PostgreSQL into the embedded one')
    await using embedded = await startService({}, service.folder)
    Object.assign(embedded, { admin })
    assert.deepEqual(await contents(embedded), before)
    const first = (await embedded.call('GET', '/api/peers')).body.data.peers[0]
    assert.equal((await embedded.call('GET', `/api/peers/${first.id}/config`)).text, config, 'sealed keys open again')
  },
)

test('restoring with another key, or a file of another kind, is refused', async () => {
  await using service = await startService()
  const file = join(service.folder, 'backup.gz')
  assert.equal((await runCommand(['vpn', 'backup', file], { DATA_DIR: service.folder })).code, 0)
  await using other = await startService()
  await other.stop()
  const { code, stderr } = await runCommand(['vpn', 'restore', file], { DATA_DIR: other.folder })
  assert.deepEqual([code, stderr], [1, `hearth: ${file} was made with another secret key\n`])
  assert.equal((await runCommand(['vpn', 'restore', '/etc/passwd'], { DATA_DIR: other.folder })).code, 1)
})

test('a backup replaces a file, and nothing else', async () => {
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const socket = join(folder.path, 'socket')
  const server = createServer().listen(socket).unref()
  await once(server, 'listening')
  for (const path of [socket, folder.path]) {
    const { code, stderr } = await runCommand(['vpn', 'backup', path], { DATA_DIR: data })
    assert.equal(
      stderr,
      `hearth: ${path} is not a regular file: name a file that the backup may replace, or a new one\n`,
    )
    assert.deepEqual([code, existsSync(data)], [1, false])
  }
  assert.ok((await lstat(socket)).isSocket())
  server.close()
})

test(
  'a refused restore leaves a new location untouched, on both databases, and the right key then works',
  { skip: postgresObstacle() },
  async () => {
    await using service = await startService()
    await using folder = await temporaryDirectory()
    const file = join(service.folder, 'backup.gz')
    assert.equal((await runCommand(['vpn', 'backup', file], { DATA_DIR: service.folder })).code, 0)
    const databases: Record<string, string>[] = [{}, { DATABASE_URL: await createPostgresDatabase() }]
    for (const [index, database] of databases.entries()) {
      const fresh = join(folder.path, `fresh-${index}`)
      const environment = { ...database, DATA_DIR: fresh }
      const refused = await runCommand(['vpn', 'restore', file], environment)
      assert.match(refused.stderr, /secret key that .* is missing/)
      const other = await runCommand(['vpn', 'restore', file], {
        ...environment,
        SECRET_KEY: '0123456789abcdef'.repeat(4),
      })
      assert.match(other.stderr, /was made with another secret key/)
      assert.deepEqual([refused.code, other.code, existsSync(fresh)], [1, 1, false])
      const SECRET_KEY_FILE = join(service.folder, 'secret.key')
      const taken = await runCommand(['vpn', 'restore', file], { ...environment, SECRET_KEY_FILE })
      assert.equal(taken.code, 0, taken.stderr)
    }
  },
)
