import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from './in-process.ts'

async function withInterfaces(): Promise<TestService> {
  const service = await startService()
  for (const [index, name] of ['wg0', 'wg1'].entries()) {
    const body = { name, address: `10.8.${index}.1/24`, address6: `fd08:${index}::1/64`, listen_port: 51_820 + index }
    assert.equal((await service.call('POST', '/api/interfaces', body)).status, 201)
  }
  return service
}

const create = (service: TestService, name: string, more: object = {}) =>
  service.call('POST', '/api/peers', { name, interface: 'wg0', ...more })

test('a peer gets a unique address: not the gateway’s, another peer’s, network or broadcast', async () => {
  await using service = await withInterfaces()
  const first = await create(service, 'first')
  assert.equal(first.body.data.ip, '10.8.0.2')
  assert.equal(first.body.data.ipv6, 'fd08::2')
  for (const ip of ['10.8.0.1', '10.8.0.0', '10.8.0.255', '10.8.1.5', '192.0.2.1']) {
    const reply = await create(service, 'wrong', { ip })
    assert.equal(reply.status, 422, ip)
    assert.equal(reply.body.details.fields[0].path, 'ip')
  }
  for (const ipv6 of ['fd08::1', 'fd08:1::5', '2001:db8::1'])
    assert.equal((await create(service, 'wrong', { ipv6 })).status, 422, ipv6)
  const taken = await create(service, 'second', { ip: '10.8.0.2' })
  assert.equal(taken.status, 409)
  assert.match(taken.body.message, /first/)
  const overlapping6 = await create(service, 'third', { ip: '10.8.0.9', ipv6: 'fd08:0:0:0:0:0:0:2' })
  assert.equal(overlapping6.status, 409)
  assert.equal(overlapping6.body.details.field, 'ipv6')
})

test('fifty peers created at once get fifty addresses', async () => {
  await using service = await withInterfaces()
  const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => create(service, `p${index}`)))
  assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([201]))
  assert.equal(new Set(replies.map((reply) => reply.body.data.ip)).size, 50)
  assert.equal(new Set(replies.map((reply) => reply.body.data.ipv6)).size, 50)
  const device = await service.service.app.tunnels.read('wg0')
  assert.equal(device?.peers.size, 50)
})

test('fifty simultaneous creations with one address create one peer', async () => {
  await using service = await withInterfaces()
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => create(service, `p${index}`, { ip: '10.8.0.77' })),
  )
  assert.deepEqual(
    replies.map((reply) => reply.status).sort((a, b) => a - b),
    [201, ...Array.from({ length: 49 }, () => 409)],
  )
})

test('a peer cannot take a used address, and a refused change has no partial effect', async () => {
  await using service = await withInterfaces()
  const one = (await create(service, 'one')).body.data
  const two = (await create(service, 'two')).body.data
  const reply = await service.call('PUT', `/api/peers/${two.id}`, { name: 'renamed', ip: one.ip })
  assert.equal(reply.status, 409)
  const after = (await service.call('GET', `/api/peers/${two.id}`)).body.data
  assert.deepEqual([after.name, after.ip], ['two', two.ip])
})

test('a disabled peer keeps its address, and a deleted peer’s is not reused next', async () => {
  await using service = await withInterfaces()
  const one = (await create(service, 'one')).body.data
  await service.call('PUT', `/api/peers/${one.id}`, { enabled: false })
  assert.equal((await service.service.app.tunnels.read('wg0'))?.peers.size, 0)
  assert.equal((await create(service, 'taker', { ip: one.ip })).status, 409)
  const two = (await create(service, 'two')).body.data
  await service.call('DELETE', `/api/peers/${two.id}`)
  const three = (await create(service, 'three')).body.data
  assert.notEqual(three.ip, two.ip)
  assert.equal((await create(service, 'asked', { ip: two.ip, ipv6: null })).status, 201)
})

test('a full network is reported, and a freed address is found again', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.9.0.1/29', listen_port: 51_820 })
  const peers = []
  for (let index = 0; index < 5; index += 1) peers.push((await create(service, `p${index}`)).body.data)
  const full = await create(service, 'late')
  assert.equal(full.status, 409)
  assert.equal(full.body.details.code, 'pool_exhausted')
  await service.call('DELETE', `/api/peers/${peers[2].id}`)
  assert.equal((await create(service, 'late')).body.data.ip, peers[2].ip)
})

test('networks of two interfaces must not overlap, including IPv6, and ports are unique', async () => {
  await using service = await withInterfaces()
  const make = (more: object) =>
    service.call('POST', '/api/interfaces', { name: 'wg2', address: '10.8.2.1/24', listen_port: 51_830, ...more })
  for (const [body, field] of [
    [{ address: '10.8.0.129/25' }, 'address'],
    [{ address: '10.0.0.1/8' }, 'address'],
    [{ address6: 'fd08::9/32' }, 'address6'],
    [{ listen_port: 51_821 }, 'listen_port'],
    [{ name: 'wg1' }, 'name'],
  ] as const) {
    const reply = await make(body)
    assert.equal(reply.status, 409, JSON.stringify(body))
    assert.equal(reply.body.details.field, field)
  }
})

test('an interface cannot move its network away from its peers; the error names them', async () => {
  await using service = await withInterfaces()
  const peer = (await create(service, 'phone')).body.data
  const reply = await service.call('PUT', '/api/interfaces/wg0', { address: '10.77.0.1/24' })
  assert.equal(reply.status, 409)
  assert.deepEqual(reply.body.details.peers, [{ id: peer.id, name: 'phone', ip: peer.ip, ipv6: peer.ipv6 }])
  assert.equal(
    (await service.call('PUT', '/api/interfaces/wg0', { address: '10.8.0.1/23', address6: 'fd08::1/60' })).status,
    409,
    'overlaps wg1',
  )
})
