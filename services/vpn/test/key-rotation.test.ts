import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { generateKeyPair, publicKeyOf } from '../src/wireguard/keys.ts'
import { simulateTraffic } from '../src/wireguard/simulated-traffic.ts'
import { createMovedClock, startService } from './in-process.ts'

const [hour, day] = [3_600_000, 86_400_000]

async function start() {
  const clock = createMovedClock()
  const service = await startService({}, undefined, clock)
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const made = await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0', networks: ['10.20.0.0/16'] })
  const { id, public_key: oldKey } = made.body.data
  const path = `/api/peers/${id}/rotation`
  const read = async () => (await service.call('GET', `/api/peers/${id}`)).body.data
  const device = async () => {
    const peers = (await service.service.app.tunnels.read('wg0'))?.peers ?? new Map()
    return Object.fromEntries([...peers].map(([key, peer]) => [key, peer.allowedIps]))
  }
  const untilOnDevice = (wanted: object) =>
    eventually(device, (found) => JSON.stringify(found) === JSON.stringify(wanted))
  const configuration = async (): Promise<string> => (await service.call('GET', `/api/peers/${id}/config`)).text
  /** Public key of the private key in a configuration. */
  const keyIn = (text: string) => publicKeyOf(/^PrivateKey = (.*)$/m.exec(text)?.[1] ?? '')
  const tools = { service, clock, id, oldKey, path, read, device, untilOnDevice, configuration, keyIn }
  return { ...tools, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

const addresses = ['10.8.0.2/32', '10.20.0.0/16']

test('a new key waits on the device without addresses, and takes those of the old one when it is used', async () => {
  await using world = await start()
  const { service, path, read, device, untilOnDevice, configuration, keyIn, oldKey } = world
  const old = await configuration()
  assert.equal(keyIn(old), oldKey)
  // Some keys never connect where traffic is simulated; another one does then.
  for (let isUsed = false; !isUsed;) {
    const begun = await service.call('POST', path, {})
    assert.equal(begun.body.message, 'New key for phone made; the old one still works', begun.text)
    const { key_rotation: waiting, public_key: present } = begun.body.data
    assert.equal(present, oldKey)
    assert.ok(Math.abs(Date.parse(waiting.old_key_ends_at) - Date.now() - 7 * day) < 60_000)
    assert.deepEqual(await device(), { [oldKey]: addresses, [waiting.public_key]: [] })
    const handed = await configuration()
    assert.equal(keyIn(handed), waiting.public_key, 'the configuration has the new key')
    assert.notEqual(/^PresharedKey.*$/m.exec(handed)?.[0], /^PresharedKey.*$/m.exec(old)?.[0])
    const link = (await service.call('POST', `/api/peers/${world.id}/setup-links`, {})).body.data
    const redeemed = await service.send('POST', '/api/setup', { body: { link: link.url.split('#')[1] } })
    assert.equal(redeemed.body.data.configuration, handed)
    assert.equal((await service.call('POST', path, {})).status, 409)

    const stop = new AbortController()
    const traffic = simulateTraffic(service.folder, {
      publicKeys: () => [waiting.public_key],
      signal: stop.signal,
      interval: 50,
    })
    isUsed = await eventually(read, (peer) => peer.key_rotation === null, { seconds: 3 }).then(
      () => true,
      () => false,
    )
    stop.abort()
    await traffic
    if (!isUsed) assert.equal((await service.call('DELETE', path)).body.message, 'phone keeps its key')
    else await untilOnDevice({ [waiting.public_key]: addresses })
    if (isUsed) assert.equal((await read()).public_key, waiting.public_key)
    if (isUsed) assert.equal(await configuration(), handed)
  }
})

test('a rotation that is cancelled leaves the old key, and one that is due leaves the new one', async () => {
  await using world = await start()
  const { service, clock, path, read, device, untilOnDevice, oldKey } = world
  const before = await world.configuration()
  await service.call('POST', path, { days: 1 })
  assert.equal((await service.call('DELETE', path)).body.data.key_rotation, null)
  assert.deepEqual(await device(), { [oldKey]: addresses })
  assert.equal(await world.configuration(), before)
  const again = await service.call('DELETE', path)
  assert.equal(again.status, 200, 'nothing to cancel is no problem')

  const { public_key: next } = (await service.call('POST', path, { days: 1 })).body.data.key_rotation
  clock.advance(day + 1)
  await eventually(read, (peer) => peer.public_key === next)
  await untilOnDevice({ [next]: addresses })
})

test('a clock that is ahead for a while takes no old key away', async () => {
  await using world = await start()
  const { service, clock, path, read, oldKey } = world
  const { public_key: next } = (await service.call('POST', path, { days: 1 })).body.data.key_rotation
  /** Every begin looks after all keys that wait. */
  const look = async (name: string) => {
    const made = await service.call('POST', '/api/peers', { name, interface: 'wg0' })
    await service.call('POST', `/api/peers/${made.body.data.id}/rotation`, {})
    return (await read()).public_key
  }
  clock.jump(20 * day)
  assert.equal(await look('laptop'), oldKey)
  clock.jump(-20 * day)
  assert.equal(await look('tablet'), oldKey)
  const present = async () => {
    clock.advance(hour / 2)
    return (await read()).public_key
  }
  await eventually(present, (key) => key === next)
  assert.ok(clock.now() > Date.now() + day - hour, 'not before its time')
})

test('a waiting key goes and comes with its peer, and the check of the tunnels takes it for no change from outside', async () => {
  await using world = await start()
  const { service, path, id, device, oldKey } = world
  const { public_key: next } = (await service.call('POST', path, {})).body.data.key_rotation
  const change = (body: object) => service.call('PUT', `/api/peers/${id}`, body)
  await change({ enabled: false })
  assert.deepEqual(await device(), {})
  await change({ enabled: true, use_preshared_key: false, ip: '10.8.0.9' })
  assert.deepEqual(await device(), { [oldKey]: ['10.8.0.9/32', '10.20.0.0/16'], [next]: [] })
  assert.doesNotMatch(await world.configuration(), /PresharedKey/)
  await service.service.app.tunnels.reconcile('wg0')
  assert.deepEqual(Object.keys(await device()).length, 2, 'the check of the tunnels knows it')
  await service.call('DELETE', `/api/peers/${id}`)
  assert.deepEqual(await device(), {})
})

test('a key made on the device can be the new one, unless somebody has it', async () => {
  await using world = await start()
  const { service, path, id, oldKey } = world
  const other = await service.call('POST', '/api/peers', { name: 'laptop', interface: 'wg0' })
  const own = (await service.call('GET', '/api/interfaces/wg0')).body.data.public_key
  for (const [key, status] of [
    [oldKey, 409],
    [other.body.data.public_key, 409],
    [own, 409],
    ['key', 422],
  ] as const) {
    const reply = await service.call('POST', path, { public_key: key })
    assert.equal(reply.status, status, reply.text)
  }
  for (const days of [0, 91, 1.5, '7']) assert.equal((await service.call('POST', path, { days })).status, 422)
  assert.equal((await service.call('POST', `/api/peers/${crypto.randomUUID()}/rotation`, {})).status, 404)
  const pair = generateKeyPair()
  const begun = await service.call('POST', path, { public_key: pair.publicKey })
  assert.equal(begun.body.data.key_rotation.has_private_key, false)
  assert.match(await world.configuration(), /# PrivateKey = \(the key stays on the device/)
  assert.equal((await service.call('POST', `/api/peers/${id}/setup-links`, {})).status, 409)
  for (const body of [
    { name: 'thief', interface: 'wg0', public_key: pair.publicKey },
    { name: 'thief', interface: 'wg0', public_key: oldKey },
  ]) {
    const taken = await service.call('POST', '/api/peers', body)
    assert.equal(taken.status, 409)
    assert.match(taken.body.message, /The public key belongs to phone/)
  }
  assert.equal((await service.call('PUT', `/api/peers/${id}`, { public_key: pair.publicKey })).status, 409)
})
