import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startSites } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { sayingSite } from './served.ts'

const skip = caddyObstacle() ?? false

test('without CADDY_BIND the own Caddy listens on loopback only, before and after set-up', { skip }, async () => {
  await using sites = await startSites({}, { caddy: true })
  assert.deepEqual(await listeningFor(sites.caddyPorts, 'either'), ['127.0.0.1'])
  const admin = await sites.signIn()
  const json = { ...sayingSite('one', 'One'), tls: { mode: 'internal' } }
  const { status, body } = await admin.json('POST', '/api/sites', { json })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(await listeningFor(sites.caddyPorts, 'both'), ['127.0.0.1'])
})

/** Addresses at which somebody listens on one of the ports, once there are listeners on one or both of them. */
async function listeningFor(ports: readonly number[], wanted: 'either' | 'both'): Promise<string[]> {
  const found = await eventually(
    () => listeners().filter(({ port }) => ports.includes(port)),
    (all) => new Set(all.map(({ port }) => port)).size >= (wanted === 'both' ? 2 : 1),
    { seconds: 20, what: 'a listener of Caddy' },
  )
  return [...new Set(found.map(({ address }) => address))]
}

/** Listening addresses as the kernel reports them; a wildcard is `0.0.0.0` or `::`. */
function listeners(): { address: string; port: number }[] {
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === (table.startsWith('tcp') ? '0A' : '07'))
      .map(([, local = '']) => ({
        address: addressOf(local.split(':')[0] ?? ''),
        port: Number.parseInt(local.split(':')[1] ?? '', 16),
      })),
  )
}

function addressOf(hex: string): string {
  if (/^0+$/.test(hex)) return hex.length === 8 ? '0.0.0.0' : '::'
  if (hex.length > 8) return hex
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join('.')
}
