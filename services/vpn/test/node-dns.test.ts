import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { done, type FakeNode, joinedNode, type NodesFixture, startWithNodes } from './nodes-fixture.ts'

const onNode = (world: NodesFixture, node: FakeNode, more: object) =>
  done(world, 'POST', '/api/interfaces', { node_id: node.id, ...more })

/** The files of a node by name, each fetched and checked. */
async function filesOf(node: FakeNode): Promise<Record<string, string>> {
  const { files } = (await node.dns(null)) ?? { files: [] }
  const texts: Record<string, string> = {}
  for (const { name, sha256, size } of files) texts[name] = await node.fetch(sha256, size)
  return texts
}

test('a node gets the files of its own peers, without what is about others', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  assert.deepEqual(await berlin.dns(), { files: [] }, 'nothing to answer')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64' })
  await onNode(world, paris, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_900 })
  await onNode(world, berlin, { name: 'wg2', address: '10.10.0.1/24', dns: '9.9.9.9', listen_port: 51_901 })
  const peer = (name: string, on: string) => done(world, 'POST', '/api/peers', { name, interface: on })
  const [phone, foreign] = [await peer('phone', 'wg0'), await peer('Paris phone', 'wg1')]
  await peer('other', 'wg2')
  const rule = (client: string, domain: string) =>
    done(world, 'POST', '/api/dns/rules', { action: 'block', domain, client })
  await rule(phone.id, 'games.example')
  await rule(foreign.id, 'secret-hobby.example')

  const texts = await filesOf(berlin)
  const settings = JSON.parse(texts['settings.json'] ?? '{}')
  assert.deepEqual(
    settings.listeners.map(({ address, device }: { address: string; device: string }) => [address, device]),
    [
      ['10.8.0.1', 'wg0'],
      ['fd08::1', 'wg0'],
    ],
  )
  const clients: { id: string }[] = JSON.parse(texts['clients.json'] ?? '[]')
  assert.deepEqual(
    clients.map(({ id }) => id),
    [phone.id],
  )
  assert.match(texts['rules.json'] ?? '', /games\.example/)
  assert.deepEqual(
    JSON.parse(texts['names.json'] ?? '[]').map(({ label }: { label: string }) => label),
    ['paris-phone', 'other'],
  )
  const all = Object.values(texts).join('\n')
  for (const secret of [foreign.id, 'secret-hobby', 'Paris phone', '"wg1"', 'certificate'])
    assert.ok(!all.includes(secret))
})

test('a peer that changes reaches its node, and every node that names it', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24' })
  await onNode(world, paris, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_900 })
  const phone = await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const bring = async () => {
    await berlin.dns(null)
    await paris.dns(null)
  }
  await bring()
  const atParis = paris.dnsRevision
  let waiting = berlin.dns()
  await done(world, 'PUT', `/api/peers/${phone.id}`, { use_adblocker: false })
  assert.ok(await waiting, 'a switch of the filter is about its node alone')
  await paris.dns(null)
  assert.equal(paris.dnsRevision, atParis)

  await bring()
  waiting = paris.dns()
  await done(world, 'POST', '/api/peers', { name: 'tablet', interface: 'wg0' })
  assert.ok(await waiting, 'it is found by its name from everywhere')
  assert.match((await filesOf(paris))['names.json'] ?? '', /tablet/)
  await bring()
  waiting = paris.dns()
  await done(world, 'DELETE', `/api/peers/${phone.id}`)
  assert.ok(await waiting)
  assert.doesNotMatch((await filesOf(paris))['names.json'] ?? '', /phone/)

  await bring()
  waiting = paris.dns()
  await done(world, 'PUT', '/api/dns/settings', { peer_names_suffix: null })
  assert.ok(await waiting)
  await bring()
  waiting = berlin.dns()
  await done(world, 'POST', '/api/peers', { name: 'watch', interface: 'wg0' })
  assert.ok(await waiting)
  const kept = paris.dnsRevision
  await paris.dns(null)
  assert.equal(paris.dnsRevision, kept)
})

test('a change wakes the nodes that it is about, and no others', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24' })
  await onNode(world, paris, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_900 })
  const phone = await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  await berlin.dns()
  await paris.dns()
  const before = paris.dnsRevision
  const waiting = berlin.dns()
  const body = { action: 'block', domain: 'games.example', client: phone.id }
  const { id } = await done(world, 'POST', '/api/dns/rules', body)
  assert.ok(await waiting)
  assert.match((await filesOf(berlin))['rules.json'] ?? '', /games\.example/)
  await paris.dns(null)
  assert.equal(paris.dnsRevision, before)

  await done(world, 'DELETE', `/api/dns/rules/${id}`)
  await eventually(
    async () => (await filesOf(berlin))['rules.json'],
    (text) => text === '[]',
    { what: 'the rule is gone', everyMs: 500 },
  )
  await done(world, 'PUT', '/api/interfaces/wg0', { enabled: false })
  await eventually(
    () => berlin.dns(null),
    (manifest) => manifest?.files.length === 0,
    { what: 'nothing to answer', everyMs: 500 },
  )
})

test('a file is sent to nodes whose manifest names it, and to nobody else', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  using paris = await joinedNode(world, 'Paris')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24' })
  await onNode(world, paris, { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_900 })
  await done(world, 'POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const clients = (await berlin.dns())?.files.find(({ name }) => name === 'clients.json')
  assert.ok(clients !== undefined)
  assert.match(await berlin.fetch(clients.sha256, clients.size), /phone/)
  await assert.rejects(paris.fetch(clients.sha256, clients.size), /There is no file of this node/)
  for (const wrong of ['0'.repeat(64), '../../secret.key', '%2e%2e%2fsettings.json', '', 'x'.repeat(9000)])
    await assert.rejects(berlin.fetch(wrong, 10))
  await assert.rejects(berlin.fetch(clients.sha256, 3), /longer than it said/)
  await assert.rejects(berlin.fetch(clients.sha256, 10_000), /shorter than it said/)
  await assert.rejects(berlin.dns('x'.repeat(99)), /revision/)

  await done(world, 'PUT', '/api/interfaces/wg0', { node_id: null })
  await eventually(
    () => berlin.dns(null),
    (manifest) => manifest?.files.length === 0,
    { everyMs: 500 },
  )
  await assert.rejects(berlin.fetch(clients.sha256, clients.size), /There is no file of this node/)
  await done(world, 'DELETE', `/api/nodes/${berlin.id}`)
  await assert.rejects(berlin.fetch(clients.sha256, clients.size), /is not a node of this service/)
})

test('the text of a list is sent as it is; one that was damaged here is found out', async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `||ad-${n}.example^\n`).join('')
  const server = createServer((_, response) => void response.end(text)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await using stack = new AsyncDisposableStack()
  stack.defer(() => void server.close())
  await using world = await startWithNodes({ OUTBOUND_ALLOW: host })
  for (const { id, enabled } of await done(world, 'GET', '/api/dns/blocklists'))
    if (enabled === true) await done(world, 'PUT', `/api/dns/blocklists/${id}`, { enabled: false })
  using berlin = await joinedNode(world, 'Berlin')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24' })
  const { id } = await done(world, 'POST', '/api/dns/blocklists', { name: 'ads', url: `http://${host}/ads` })
  const name = `lists/${id}.txt`
  const found = await eventually(
    async () => (await berlin.dns(null))?.files.find((file) => file.name === name),
    (file) => file !== undefined,
    { what: 'the list in the manifest', seconds: 60, everyMs: 500 },
  )
  assert.ok(found !== undefined)
  assert.equal(await berlin.fetch(found.sha256, found.size), text)

  const file = join(world.service.folder, 'dns', name)
  assert.ok((await readdir(join(world.service.folder, 'dns/lists'))).includes(`${id}.txt`))
  await writeFile(file, text.replace('ad-0', 'xx-0'))
  await assert.rejects(berlin.fetch(found.sha256, found.size), /not the one that it named/)
  await writeFile(file, 'short')
  await assert.rejects(berlin.fetch(found.sha256, found.size), /has changed meanwhile/)
})

test('what a node says of its resolver is shown, and a notice names the node on which it does not work', async () => {
  await using world = await startWithNodes()
  using berlin = await joinedNode(world, 'Berlin')
  await onNode(world, berlin, { name: 'wg0', address: '10.8.0.1/24' })
  const notice = async () => {
    const { health } = await done(world, 'GET', '/api/metrics/dashboard')
    return health.find(({ code }: { code: string }) => code === 'node_dns')?.detail
  }
  await berlin.report(['wg0'])
  assert.equal((await world.list())[0]?.dns, null)
  assert.equal(await notice(), 'Berlin: its version of Hearth has no resolver: update it there')
  const startedAt = Date.parse('2026-11-27T12:00:00Z')
  const log = { waiting: 3, lost: 1, lost_at: startedAt }
  const running = { started_at: startedAt, restarts: 0, lists: 2, blocked_names: 7, problem: null, log }
  await berlin.report(['wg0'], { dns: { status: 'running', ...running } })
  const at = '2026-11-27T12:00:00.000Z'
  const shown = { status: 'running', ...running, started_at: at, log: { ...log, lost_at: at } }
  assert.deepEqual([(await world.list())[0]?.dns, await notice()], [shown, undefined])
  const { lost_at: _, ...older } = log
  await berlin.report(['wg0'], { dns: { status: 'running', ...running, log: older } })
  assert.equal((await world.list())[0]?.dns?.log?.lost_at, null, 'a node of an older version')
  await berlin.report(['wg0'], { dns: { status: 'running', ...running, problem: '10.8.0.1: the port is used' } })
  assert.equal(await notice(), 'Berlin: 10.8.0.1: the port is used')
  await berlin.report(['wg0'], { dns: { status: 'failed', ...running, started_at: null, restarts: 4 } })
  assert.match((await notice()) ?? '', /does not run, and was started again 4 times/)
  await done(world, 'PUT', '/api/interfaces/wg0', { dns: '9.9.9.9' })
  assert.equal(await notice(), undefined)
})
