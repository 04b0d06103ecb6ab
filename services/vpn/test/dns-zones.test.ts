import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startAnsweringService } from './answering-service.ts'

/** A service that answers on a port of loopback, a general upstream, and a server that knows other addresses. */
async function start() {
  await using cleanup = new AsyncDisposableStack()
  const corp = cleanup.use(await startFakeNameserver({}, undefined, () => '10.7.0.1'))
  const { service, upstream, ask } = cleanup.use(await startAnsweringService())
  const server = `udp://127.0.0.1:${corp.port}`
  const kept = cleanup.move()
  return {
    service,
    upstream,
    corp,
    server,
    async address(name: string) {
      const { rcode, answers } = await ask(name)
      return answers[0]?.data ?? rcode
    },
    add: (zone: string, servers: readonly string[] = [server]) =>
      service.call('POST', '/api/dns/zones', { zone, servers }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface Logged {
  readonly upstream: string | null
}

const private_ = '0a070001'

test('a zone holds for the next query, also after a change, and is gone with its deletion', async () => {
  await using it = await start()
  assert.notEqual(await it.address('intra.corp.example'), private_)
  const made = await it.add('Corp.Example.')
  assert.deepEqual([made.status, made.body.message], [201, `Names in corp.example are sent to ${it.server}`])
  const { id } = made.body.data
  assert.equal(await it.address('intra.corp.example'), private_)
  const changed = await it.service.call('PUT', `/api/dns/zones/${id}`, { zone: 'home.arpa' })
  assert.equal(changed.body.message, 'Zone home.arpa changed')
  assert.equal(await it.address('nas.home.arpa'), private_)
  assert.notEqual(await it.address('intra.corp.example'), private_)
  const removed = await it.service.call('DELETE', `/api/dns/zones/${id}`)
  assert.equal(removed.body.message, 'Zone home.arpa deleted')
  assert.equal(await it.address('nas.home.arpa'), 3)
  assert.equal((await it.service.call('DELETE', `/api/dns/zones/${id}`)).status, 404)
  assert.equal(it.upstream.asked('nas.home.arpa'), 0)
})

test('a network stands for its reverse names', async () => {
  await using it = await start()
  const { names } = (await it.add('192.168.0.0/23')).body.data
  assert.deepEqual(names, ['0.168.192.in-addr.arpa', '1.168.192.in-addr.arpa'])
  assert.equal(await it.address('5.1.168.192.in-addr.arpa'), private_)
  assert.equal(await it.address('5.2.168.192.in-addr.arpa'), 3)
})

test('names of peers stay where a zone has their domain, or one within it', async () => {
  await using it = await start()
  await it.service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  await it.service.call('POST', '/api/peers', { name: 'Phone', interface: 'wg0' })
  await it.add('office.vpn')
  assert.deepEqual(
    [await it.address('phone.vpn'), await it.address('nas.office.vpn'), await it.address('nas.vpn')],
    ['0a080002', private_, 3],
  )
  await it.add('vpn')
  assert.deepEqual([await it.address('phone.vpn'), await it.address('nas.vpn')], ['0a080002', private_])
})

test('the explanation, the log and the list name the server', async () => {
  await using it = await start()
  await it.add('corp.example')
  await it.address('intra.corp.example')
  const explained = (await it.service.call('GET', '/api/dns/explain?domain=intra.corp.example')).body.data
  assert.deepEqual(
    [explained.status, explained.reason, explained.zone, explained.server, explained.decided_by],
    ['allowed', 'none', 'corp.example', it.server, 'Nothing matches; the servers of the zone corp.example are asked'],
  )
  const other = (await it.service.call('GET', '/api/dns/explain?domain=www.example')).body.data
  assert.deepEqual([other.zone, other.server], [null, `udp://127.0.0.1:${it.upstream.port}`])
  const unresolved = (await it.service.call('GET', '/api/dns/explain?domain=a.corp.example&resolve=false')).body.data
  assert.deepEqual([unresolved.zone, unresolved.server], ['corp.example', null])
  const entries = await eventually(
    async () => (await it.service.call('GET', '/api/dns/queries?domain=intra.corp.example')).body.data as Logged[],
    // The resolver says which server has which number a moment after it uses it.
    (found) => typeof found?.[0]?.upstream === 'string',
    { everyMs: 700 },
  )
  assert.partialDeepStrictEqual(entries[0], { domain: 'intra.corp.example', status: 'allowed', upstream: it.server })
  const listed = await eventually(
    async () => (await it.service.call('GET', '/api/dns/zones?search=CORP')).body,
    ({ data }) => data[0]?.state[0]?.queries > 0,
    { everyMs: 700 },
  )
  assert.equal(listed.total, 1)
  assert.partialDeepStrictEqual(listed.data[0], {
    zone: 'corp.example',
    servers: [it.server],
    state: [{ server: it.server, healthy: true, failing_since: null, last_error: null }],
  })
  const status = (await it.service.call('GET', '/api/dns/status')).body.data
  assert.deepEqual(
    status.upstreams.map(({ upstream }: { upstream: string }) => upstream),
    [`udp://127.0.0.1:${it.upstream.port}`],
  )
})

test('servers are tried before they are stored', async () => {
  await using it = await start()
  const reply = await it.service.call('POST', '/api/dns/zones/test', {
    zone: 'corp.example',
    servers: [it.server, 'tcp://127.0.0.1:1'],
  })
  const [good, bad] = reply.body.data.servers
  assert.deepEqual([good.server, good.ok, good.error], [it.server, true, null])
  assert.deepEqual([bad.ok, bad.milliseconds, typeof bad.error], [false, null, 'string'])
  assert.deepEqual([it.corp.asked('corp.example'), it.upstream.asked('corp.example')], [1, 0])
  assert.equal((await it.service.call('GET', '/api/dns/zones')).body.total, 0)
})

test('what does not fit is refused with the part that is wrong', async () => {
  await using it = await start()
  for (const [zone, servers, path] of [
    ['not a name', [it.server], 'zone'],
    ['.', [it.server], 'zone'],
    ['10.1.0.0/8', [it.server], 'zone'],
    ['x.example', [], 'servers'],
    ['x.example', Array.from({ length: 5 }, (_, n) => `udp://10.0.0.${n + 1}`), 'servers'],
    ['x.example', [it.server, 'dns.example'], 'servers.1'],
    ['x.example', ['udp://10.0.0.1\nudp://10.0.0.2'], 'servers.0'],
    ['x.example', ['udp://10.0.0.1', '10.0.0.1'], 'servers.1'],
    ['x.example', ['https://user:secret@dns.example/'], 'servers.0'],
  ] as const) {
    const reply = await it.add(zone, servers)
    assert.deepEqual([reply.status, reply.body.details?.fields?.[0]?.path], [422, path], `${zone} ${reply.text}`)
    assert.ok(!reply.body.message.includes('secret'))
  }
  await it.add('10.0.0.0/8')
  const twice = await Promise.all([it.add('corp.example'), it.add('CORP.example')])
  assert.deepEqual(
    twice.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  )
  const same = await it.add('10.in-addr.arpa')
  assert.deepEqual(
    [same.status, same.body.message],
    [409, '10.in-addr.arpa has servers already, in the zone 10.0.0.0/8'],
  )
})

test('servers and zones are bounded', async () => {
  await using it = await start()
  for (let n = 0; n < 8; n++) {
    const servers = Array.from({ length: 4 }, (_, k) => `udp://10.0.${n}.${k + 1}`)
    assert.equal((await it.add(`zone-${n}.example`, servers)).status, 201)
  }
  const more = await it.add('more.example')
  assert.deepEqual([more.status, more.body.details.field], [409, 'servers'])
  assert.equal((await it.add('again.example', ['udp://10.0.0.1'])).status, 201)
  await Promise.all(
    Array.from({ length: 991 }, async (_, n) => {
      assert.equal((await it.add(`many-${n}.example`, ['udp://10.0.0.1'])).status, 201)
    }),
  )
  const full = await it.add('one.more', ['udp://10.0.0.1'])
  assert.match(full.body.message, /There are 1000 zones, no more fit/)
})
