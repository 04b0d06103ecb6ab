import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { openNodeDataPlane } from '../src/node-agent/data-plane.ts'
import { NodeAgent } from '../src/node-agent/node-agent.ts'
import { simulateTraffic } from '../src/wireguard/simulated-traffic.ts'
import { type NodesFixture, startWithNodes } from './nodes-fixture.ts'

/** A key whose simulated peer is not one of those that stay offline. */
const talking = 'z5s5OnoZBVKaNmuNyivw2yFLZ7gEoOwD5F3J/vmEsp4='

/** A node that runs simulated tunnels in this process, until disposed. */
async function startAgent(world: NodesFixture, name: string) {
  const { node, token } = await world.add(name)
  const identity = await world.join(name, token)
  const directory = join(world.service.folder, 'hosts', name)
  const { choice: _, ...dataPlane } = await openNodeDataPlane({ backend: 'simulated', directory })
  const log = createLog({ name, level: 'silent' })
  const [checkEveryMs, timers, version] = [1000, systemTimers, '0.1.0']
  const agent = await NodeAgent.open({
    identity,
    directory,
    dataPlane,
    hasTunnels: false,
    checkEveryMs,
    log,
    timers,
    version,
  })
  await agent.start()
  return {
    id: node.id,
    directory,
    /** The public keys of the peers of each device on the host. */
    async devices(): Promise<Record<string, string[]>> {
      const text = await readFile(join(directory, 'simulated-devices.json'), 'utf8').catch(() => '{}')
      const devices = JSON.parse(text) as Record<string, { peers: [string, unknown][] }>
      return Object.fromEntries(
        Object.entries(devices).map(([device, { peers }]) => [device, peers.map(([publicKey]) => publicKey)]),
      )
    },
    [Symbol.asyncDispose]: () => agent.close(),
  }
}

test('what is managed in the service runs on the node, and what peers transfer there is counted in the service', async () => {
  await using world = await startWithNodes()
  await using berlin = await startAgent(world, 'Berlin')
  const call = async (method: string, path: string, body?: object) => {
    const reply = await world.service.call(method, path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body.data
  }
  await call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', dns: '9.9.9.9', node_id: berlin.id })
  await eventually(
    () => call('GET', '/api/interfaces/wg0'),
    ({ status }) => status === 'active',
    { what: 'the interface runs', seconds: 20 },
  )
  const peer = await call('POST', '/api/peers', { name: 'phone', interface: 'wg0', limit_down: 8, public_key: talking })
  const holds = (keys: readonly string[] | undefined) =>
    eventually(
      () => berlin.devices(),
      ({ wg0 }) => JSON.stringify(wg0) === JSON.stringify(keys),
      { what: 'the device of the node follows', seconds: 20 },
    )
  await holds([peer.public_key])
  await call('PUT', `/api/peers/${peer.id}`, { enabled: false })
  await holds([])
  await call('PUT', `/api/peers/${peer.id}`, { enabled: true })
  await holds([peer.public_key])

  const end = new AbortController()
  const publicKeys = () => Promise.resolve([peer.public_key])
  const traffic = simulateTraffic(berlin.directory, { signal: end.signal, publicKeys })
  await eventually(
    () => call('GET', `/api/peers/${peer.id}`),
    ({ transfer_rx: rx, status }) => rx > 0 && status === 'active',
    { what: 'traffic is counted', seconds: 70 },
  )
  end.abort()
  await traffic
  await call('DELETE', '/api/interfaces/wg0')
  await holds(undefined)
})
