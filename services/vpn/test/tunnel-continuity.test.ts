import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, eventually } from '@hearth/testing'
import { tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, type Device, type TunnelWorld } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000)

/** Acknowledged state of a peer. */
interface Known {
  readonly name: string
  readonly enabled: boolean
  readonly persistent_keepalive: number
  readonly ip: string
  readonly public_key: string
}

describe('a connected device', () => {
  const hosts = new AsyncDisposableStack()
  let world: TunnelWorld
  let name: string
  let device: Device
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await createTunnelWorld())
    name = await world.addInterface({ address: '10.72.0.1/20', dns: '' })
    device = await world.connect('steady', { interface: name, routing_mode: 'isolated' })
    assert.ok(await device.host.canReach('10.72.0.1'))
  })
  after(() => hosts.disposeAsync())

  const handshake = async () => {
    const dump = await world.server.run('wg', 'show', name, 'dump')
    return dump
      .split('\n')
      .find((line) => line.includes(`${device.ip}/32`))
      ?.split('\t')[4]
  }

  test('loses no packet and keeps its session during 200 changes to other peers', { skip }, async () => {
    const { service } = world
    const shaken = await handshake()
    const ping = startPing(device.host, '10.72.0.1')
    for (let round = 0; round < 40; round += 1) {
      const { id } = await service.done('POST', '/api/peers', { name: `other ${round}`, interface: name })
      await service.done('PUT', `/api/peers/${id}`, { name: `another ${round}`, ip: `10.72.2.${round + 2}` })
      await service.done('PUT', `/api/peers/${id}`, { enabled: false, client_isolation: round % 4 === 0 })
      await service.done('PUT', `/api/peers/${id}`, { enabled: true, use_preshared_key: round % 3 === 0 })
      if (round % 2 === 0) await service.done('DELETE', `/api/peers/${id}`)
      else await service.done('PUT', `/api/peers/${id}`, { expires_at: '2020-01-01T00:00:00Z' })
    }
    const report = await ping.stop()
    console.log(`200 changes, ${report.sent} echoes, slowest ${report.slowest} ms`)
    assert.deepEqual(report.lost, [])
    assert.ok(report.sent >= 20)
    assert.equal(await handshake(), shaken)
    const peer = await eventually(
      () => world.peer(device),
      ({ transfer_rx }) => transfer_rx > report.sent * 84,
    )
    assert.equal(Math.floor(Date.parse(peer.last_handshake) / 1000), Number(shaken))
  })

  test('is unaffected by ten crashes during changes, and no acknowledged change is lost', { skip }, async () => {
    const { service } = world
    const random = createRandom(seed)
    const known = new Map<string, Known>()
    const ping = startPing(device.host, '10.72.0.1')
    const shaken = await handshake()
    for (let round = 0; round < 10; round += 1) {
      const changes = changeUntilItFails(service, { name, known, random, round })
      await pause(20 + random() * 400)
      await service.kill()
      const open = await changes
      await service.start()
      await agree(world, { name, known, open, device })
    }
    const report = await ping.stop()
    console.log(`seed ${seed}: 10 crashes, ${known.size} peers, ${report.sent} echoes, slowest ${report.slowest} ms`)
    assert.deepEqual(report.lost, [])
    assert.equal(await handshake(), shaken)
  })
})

/** A change no one got an answer to: it may have happened or not, and nothing in between. */
type Open = { kind: 'create'; name: string } | { kind: 'change' | 'delete'; id: string; to: Partial<Known> }

async function changeUntilItFails(
  service: TunnelWorld['service'],
  parts: { name: string; known: Map<string, Known>; random: () => number; round: number },
): Promise<Open> {
  const { name, known, random, round } = parts
  for (let number = 0; ; number += 1) {
    const open = nextChange(known, random, `peer ${round}-${number}`)
    try {
      await make(service, { open, name, known })
    } catch (error) {
      // An answer other than success would be a bug; no answer is the crash.
      assert.match(String(error), /fetch failed|terminated|closed/)
      return open
    }
  }
}

function nextChange(known: ReadonlyMap<string, Known>, random: () => number, name: string): Open {
  const ids = [...known.keys()]
  const id = ids[Math.floor(random() * ids.length)]
  const dice = random()
  if (id === undefined || dice < 0.4) return { kind: 'create', name }
  if (dice < 0.6) return { kind: 'delete', id, to: {} }
  if (dice < 0.8) return { kind: 'change', id, to: { enabled: known.get(id)?.enabled === false } }
  return { kind: 'change', id, to: { name: `${name} renamed`, persistent_keepalive: Math.floor(random() * 100) } }
}

async function make(
  service: TunnelWorld['service'],
  { open, name, known }: { open: Open; name: string; known: Map<string, Known> },
): Promise<void> {
  if (open.kind === 'create') {
    const peer = await service.done('POST', '/api/peers', { name: open.name, interface: name })
    known.set(peer.id, knownOf(peer))
  } else if (open.kind === 'delete') {
    await service.done('DELETE', `/api/peers/${open.id}`)
    known.delete(open.id)
  } else known.set(open.id, knownOf(await service.done('PUT', `/api/peers/${open.id}`, open.to)))
}

function knownOf({ name, enabled, persistent_keepalive, ip, public_key }: Known): Known {
  return { name, enabled, persistent_keepalive, ip, public_key }
}

type Listed = Known & { readonly id: string; readonly expired: boolean }

async function allPeers(service: TunnelWorld['service'], name: string): Promise<Listed[]> {
  const found: Listed[] = []
  for (let total = 1; found.length < total;) {
    const page = await service.done('GET', `/api/peers?interface=${name}&limit=100&offset=${found.length}`)
    found.push(...page.peers)
    total = page.total
  }
  return found
}

/** After a restart the list is what was acknowledged, with the open change made or not, and the device is what the list says. */
async function agree(
  { service, server }: TunnelWorld,
  { name, known, open, device }: { name: string; known: Map<string, Known>; open: Open; device: Device },
): Promise<void> {
  const peers: Listed[] = await allPeers(service, name)
  const changing = peers.filter((peer) => peer.name.startsWith('peer '))
  const listed = new Map(changing.map((peer) => [peer.id, knownOf(peer)]))
  const settled = settle(known, open, listed)
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(settled))
  known.clear()
  for (const [id, peer] of settled) known.set(id, peer)

  const wanted = peers.filter((peer) => peer.enabled && !peer.expired)
  assert.ok(wanted.some((peer) => peer.id === device.id))
  assert.deepEqual(
    new Set((await server.run('wg', 'show', name, 'allowed-ips')).split('\n')),
    new Set(wanted.map((peer) => `${peer.public_key}\t${peer.ip}/32`)),
    'the device holds exactly the peers it should',
  )
}

/** Returns the state once the open change is known to have happened or not. */
function settle(known: ReadonlyMap<string, Known>, open: Open, listed: ReadonlyMap<string, Known>): Map<string, Known> {
  const settled = new Map(known)
  if (open.kind === 'create') {
    const made = [...listed].find(([, peer]) => peer.name === open.name)
    if (made !== undefined) settled.set(...made)
    return settled
  }
  const now = listed.get(open.id)
  if (now === undefined && open.kind === 'delete') settled.delete(open.id)
  const changed = { ...(known.get(open.id) as Known), ...open.to }
  if (open.kind === 'change' && JSON.stringify(now) === JSON.stringify(changed)) settled.set(open.id, changed)
  return settled
}
