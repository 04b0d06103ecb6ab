import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHost, createNetwork, tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld } from './tunnel-world.ts'
import { createWgQuickClient } from './wg-quick-client.ts'

const skip = (await tunnelsObstacle()) ?? false

test('a tunnel that stays loses no packet over applies of every kind', { skip }, async () => {
  await using world = await createTunnelWorld()
  const { server, service, folder } = world
  await service.done('POST', '/api/interfaces', { name: 'home', address: '10.75.0.1/24', listen_port: 51_885 })
  const peer = await service.done('POST', '/api/peers', { name: 'phone', interface: 'home', ip: '10.75.0.2' })
  await using network = await createNetwork('wan')
  await using host = await createHost('phone')
  await network.attach(server, '203.0.113.1/24')
  await network.attach(host, '203.0.113.2/24')
  const text = (await service.call('GET', `/api/peers/${peer.id}/config`)).text
  const device = await createWgQuickClient(host, {
    text: text
      .replace(/^Endpoint = .*$/m, 'Endpoint = 203.0.113.1:51885')
      .replace(/^DNS = .*\n/m, '')
      .replace(/^AllowedIPs = .*$/m, 'AllowedIPs = 10.75.0.0/24'),
    folder,
  })
  await device.up()
  assert.ok(await host.canReach('10.75.0.1'))
  const ping = startPing(host, '10.75.0.1')
  for (let round = 0; round < 8; round += 1) {
    const report = await service.done('POST', '/api/apply', {
      text: stateOf(round, peer.public_key),
      prune: round % 2 === 0,
    })
    assert.ok(report.applied && report.changes.length > 0, JSON.stringify(report))
  }
  const exported = (await service.call('GET', '/api/export')).text
  const last = await service.done('POST', '/api/apply', { text: exported, prune: true })
  assert.deepEqual(last.changes, [])
  await ping.answered(21)
  const report = await ping.stop()
  assert.deepEqual(report.lost, [])
  await device.down()
})

/** The tunnel with another name, limit, rules and neighbours each time. */
function stateOf(round: number, publicKey: string): string {
  return `format: hearth-vpn-1
settings: { expiry_warning_days: ${round} }
interfaces:
  home: { address: 10.75.0.1/24, listen_port: 51885, nat: ${round % 2 === 0} }
  spare${round % 3}: { address: 10.7${6 + (round % 3)}.0.1/24, listen_port: ${51_886 + (round % 3)} }
peers:
  ${round === 0 ? 'phone' : `phone ${round}`}: { interface: home, ip: 10.75.0.2, public_key: ${JSON.stringify(publicKey)}, limit_down: ${100 + round}, tags: [t${round}] }
  tv ${round}: { interface: home, networks: [10.9${round}.0.0/16] }
access_groups:
  Mine: { tags: [t${round}] }
access_rules:
  - { from: { group: Mine }, to: gateway, action: allow }
  - { from: everybody, to: { network: 10.0.0.${round}/32 }, action: deny }
access_defaults: { home: ${round % 2 === 0 ? 'deny' : 'allow'} }
dns_records:
  - { name: nas.example, type: A, value: 192.168.1.${round + 1} }
`
}
