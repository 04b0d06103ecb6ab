import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { ControlRefused } from '../src/node-agent/control-link.ts'
import { done, joinedNode, startWithNodes } from './nodes-fixture.ts'

const title = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
const form = 'application/x-www-form-urlencoded'

/** Two nodes, Berlin with wg0 and Paris as its standby, and an interface of this host. */
async function start() {
  await using cleanup = new AsyncDisposableStack()
  const world = cleanup.use(await startWithNodes({ PUBLIC_ENDPOINT: 'home.example.org' }))
  const berlin = cleanup.use(await joinedNode(world, 'Berlin'))
  const paris = cleanup.use(await joinedNode(world, 'Paris'))
  const on = { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64', listen_port: 51_820 }
  await done(world, 'POST', '/api/interfaces', { ...on, node_id: berlin.id })
  await done(world, 'POST', '/api/interfaces', { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_821 })
  const peer = (name: string, ip: string, more: object = {}) =>
    done(world, 'POST', '/api/peers', { name, interface: 'wg0', ip, ...more })
  const phone = await peer('Phone', '10.8.0.2', { ipv6: 'fd08::2' })
  const laptop = await peer('Laptop', '10.8.0.3')
  const kept = cleanup.move()
  return { world, berlin, paris, phone, laptop, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const isRefused = (status: number) => (error: unknown) => error instanceof ControlRefused && error.status === status

test('nodes are told of the page when it is switched on, and their names lead there', async () => {
  await using it = await start()
  const { world, berlin, paris } = it
  const pageOf = async (revision: string | null = null) => (await berlin.state(revision))?.interfaces[0]?.rules.page
  assert.equal(await pageOf(), undefined)
  const waiting = berlin.state()
  await done(world, 'PUT', '/api/settings', { tunnel_page_enabled: true, tunnel_page_port: 8080 })
  assert.deepEqual((await waiting)?.interfaces[0]?.rules.page, { port: 8080, addresses: ['10.8.0.1', 'fd08::1'] })
  const records = async () => {
    const manifest = await berlin.dns(null)
    const file = manifest?.files.find(({ name }) => name === 'records.json')
    assert.ok(file !== undefined)
    return JSON.parse(await berlin.fetch(file.sha256, file.size)) as { domain: string; gateway?: string }[]
  }
  const names = async () => (await records()).map(({ domain, gateway }) => `${domain} ${gateway ?? ''}`.trim())
  await eventually(names, (all) => all.includes('my.vpn 10.8.0.1') && all.includes('my.wg0.vpn'), {
    what: 'the names of the page',
    everyMs: 100,
  })

  const place = async () =>
    (await done(world, 'GET', '/api/tunnel-page')).places.map((one: Record<string, unknown>) => [
      one['urls'],
      one['error'],
    ])
  const urls = [
    ['http://my.vpn:8080/', 'http://my.wg0.vpn:8080/', 'http://10.8.0.1:8080/'],
    ['http://my.vpn:8080/', 'http://my.wg0.vpn:8080/', 'http://[fd08::1]:8080/'],
  ]
  const notice = async () => {
    const { health } = await done(world, 'GET', '/api/metrics/dashboard')
    return health.find(({ code }: { code: string }) => code === 'tunnel_page')?.detail
  }
  assert.equal(await notice(), undefined, 'the node has not taken it over yet')
  await berlin.report(['wg0'])
  const tooOld = 'node Berlin has no page yet: wait a minute, or update Hearth there'
  assert.deepEqual(
    await place(),
    urls.map((each) => [each, tooOld]),
  )
  const up = { name: 'wg0', status: 'up', reason: null } as const
  await berlin.report([], { interfaces: [{ ...up, page: 'another program uses the port' }] })
  assert.deepEqual(
    await place(),
    urls.map((each) => [each, 'node Berlin: another program uses the port']),
  )
  assert.match(await notice(), /^wg0, 10\.8\.0\.1 port 8080: node Berlin: another program uses the port/)
  await berlin.report([], { interfaces: [{ ...up, page: null }] })
  assert.equal(await notice(), undefined)
  const whole = urls.map((each) => [each, null])
  assert.deepEqual(await place(), whole)

  await done(world, 'PUT', '/api/interfaces/wg0', { standby_node_id: paris.id })
  assert.deepEqual(await place(), whole, 'that a standby does not run yet is said elsewhere')
  await paris.report([], { interfaces: [{ ...up, page: 'another program uses the port' }] })
  assert.deepEqual(
    await place(),
    urls.map((each) => [each, 'node Paris: another program uses the port']),
  )
  assert.match(await notice(), /^wg0, 10\.8\.0\.1 port 8080: node Paris: another program uses the port/)
  await paris.report([], { interfaces: [{ ...up, page: null }] })
  assert.deepEqual([await place(), await notice()], [whole, undefined])

  await done(world, 'PUT', '/api/settings', { tunnel_page_enabled: false })
  assert.equal(await pageOf(), undefined)
  await eventually(names, (all) => !all.some((each) => each.startsWith('my.')), {
    what: 'the names are gone',
    everyMs: 100,
  })
})

test('a device on a node sees itself, asks, and sees the answer; another one does not', async () => {
  await using it = await start()
  const { world, berlin, paris, phone } = it
  await assert.rejects(berlin.page({ from: '10.8.0.2' }), isRefused(404), 'it is off')
  await done(world, 'PUT', '/api/settings', { tunnel_page_enabled: true })
  const seen = await berlin.page({ from: '10.8.0.2' })
  assert.deepEqual([seen.status, title(seen.text)], [200, 'Phone'])
  assert.match(seen.headers['content-security-policy'] ?? '', /default-src 'none'/)
  const six = await berlin.page({ from: 'fd08::2', address: 'fd08::1', hosts: ['[fd08::1]'] })
  assert.equal(title(six.text), 'Phone')
  assert.equal(title((await berlin.page({ from: '10.8.0.2', hosts: ['my.vpn'] })).text), 'Phone')

  await done(world, 'POST', '/api/dns/rules', { action: 'block', domain: 'shop.example' })
  const post = { method: 'POST', url: '/ask', content_type: form, origin: 'http://10.8.0.1', from: '10.8.0.2' }
  const body = new URLSearchParams({ domain: 'shop.example', note: 'please' }).toString()
  const asked = await berlin.page({ ...post, body })
  assert.deepEqual([asked.status, asked.headers['location']], [303, '/?done=asked'])
  const [request] = await done(world, 'GET', '/api/dns/requests')
  assert.deepEqual([request.peer, request.domain], ['Phone', 'shop.example'])
  await done(world, 'POST', `/api/dns/requests/${request.id}/answer`, { allow_for: 'peer' })
  assert.match((await berlin.page({ from: '10.8.0.2' })).text, /shop\.example/)
  assert.doesNotMatch((await berlin.page({ from: '10.8.0.3' })).text, /shop\.example/)

  await assert.rejects(paris.page({ from: '10.8.0.2' }), isRefused(404), 'it does not run there')
  await done(world, 'PUT', '/api/interfaces/wg0', { standby_node_id: paris.id })
  assert.equal(title((await paris.page({ from: '10.8.0.2' })).text), 'Phone', 'the standby has the page, too')
  await done(world, 'PUT', `/api/peers/${phone.id}`, { enabled: false })
  assert.equal((await berlin.page({ from: '10.8.0.2' })).status, 403)
})

test('a node answers for its own interfaces alone, and what is no request of a person is refused', async () => {
  await using it = await start()
  const { world, berlin, paris } = it
  await done(world, 'PUT', '/api/settings', { tunnel_page_enabled: true })
  for (const [node, query] of [
    [berlin, { interface: 'wg1', address: '10.9.0.1', from: '10.9.0.2' }],
    [berlin, { address: '10.9.0.1', from: '10.8.0.2' }],
    [berlin, { interface: 'nothing', from: '10.8.0.2' }],
    [paris, { from: '10.8.0.2' }],
  ] as const)
    await assert.rejects(node.page(query), isRefused(404), JSON.stringify(query))
  for (const query of [
    { from: 'not an address' },
    { from: '10.8.0.2', interface: '../etc' },
    { from: '10.8.0.2', body: 'x'.repeat(8193) },
    { from: '10.8.0.2', url: 'x'.repeat(9000) },
  ])
    await assert.rejects(berlin.page(query), isRefused(422), JSON.stringify(query).slice(0, 80))
  const post = { method: 'POST', url: '/ask', content_type: form, origin: 'http://10.8.0.1', from: '10.8.0.2' }
  const cases: [Parameters<typeof berlin.page>[0], number][] = [
    [{ from: '10.8.0.9' }, 403],
    [{ from: '10.8.0.1' }, 403],
    [{ from: '10.8.0.2', hosts: ['evil.example'] }, 421],
    [{ from: '10.8.0.2', hosts: ['10.8.0.1', 'evil.example'] }, 421],
    [{ from: '10.8.0.2', hosts: [] }, 421],
    [{ ...post, origin: 'http://evil.example' }, 403],
    [{ ...post, site: 'cross-site' }, 403],
    [{ ...post, content_type: 'application/json', body: '{}' }, 415],
    [{ ...post, url: '/__proto__' }, 404],
    [{ from: '10.8.0.2', method: 'DELETE' }, 405],
    [{ from: '10.8.0.2', url: '//' }, 400],
    [{ from: '10.8.0.2', url: '/../../etc/passwd' }, 404],
  ]
  for (const [query, status] of cases) assert.equal((await berlin.page(query)).status, status, JSON.stringify(query))
})
