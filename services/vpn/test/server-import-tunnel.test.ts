import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignFile, foreignPeer, newKeys } from './foreign-servers.ts'
import { createHost, createNetwork, tunnelsObstacle } from './network-hosts.ts'
import { startPing } from './steady-ping.ts'
import { createTunnelWorld, endpoint } from './tunnel-world.ts'
import { createWgQuickClient } from './wg-quick-client.ts'

const skip = (await tunnelsObstacle()) ?? false

test('a tunnel of wg-quick that runs is taken over, and no packet of its devices is lost', { skip }, async () => {
  await using world = await createTunnelWorld()
  const { server, service, folder } = world
  const keys = newKeys()
  const phone = foreignPeer('phone', '10.75.0.2')
  const port = 51_875
  const text = [
    '[Interface]',
    `PrivateKey = ${keys.privateKey}`,
    'Address = 10.75.0.1/24',
    `ListenPort = ${port}`,
    '# phone',
    '[Peer]',
    `PublicKey = ${phone.publicKey}`,
    `PresharedKey = ${phone.presharedKey}`,
    `AllowedIPs = ${phone.ip}/32`,
  ].join('\n')
  const tunnel = await createWgQuickClient(server, { text, folder })
  await tunnel.up()

  await using network = await createNetwork('wan')
  await using host = await createHost('phone')
  await network.attach(server, '203.0.113.1/24')
  await network.attach(host, '203.0.113.2/24')
  const device = await createWgQuickClient(host, {
    text: [
      '[Interface]',
      `PrivateKey = ${phone.privateKey}`,
      `Address = ${phone.ip}/32`,
      '[Peer]',
      `PublicKey = ${keys.publicKey}`,
      `PresharedKey = ${phone.presharedKey}`,
      `Endpoint = 203.0.113.1:${port}`,
      'AllowedIPs = 10.75.0.0/24',
    ].join('\n'),
    folder,
  })
  await device.up()
  assert.ok(await host.canReach('10.75.0.1'))

  const ping = startPing(host, '10.75.0.1')
  const files = [foreignFile(`${tunnel.name}.conf`, text)]
  const trial = await service.done('POST', '/api/server-import', { files, dry_run: true })
  assert.deepEqual([trial.problems, trial.interfaces[0].is_running], [0, true], JSON.stringify(trial.interfaces))
  const made = await service.done('POST', '/api/server-import', { files })
  const [peer] = made.interfaces[0].peers
  for (let round = 0; round < 5; round += 1)
    await service.done('PUT', `/api/peers/${peer.id}`, { name: `phone ${round}` })
  await ping.answered(6)
  const report = await ping.stop()
  assert.deepEqual(report.lost, [])
  const on = await service.done('GET', `/api/interfaces/${tunnel.name}`)
  assert.deepEqual([on.status, on.public_key, on.listen_port], ['active', keys.publicKey, port])
  assert.equal((await service.done('GET', `/api/peers/${peer.id}`)).has_preshared_key, true)

  // From now on it belongs to this service: a disabled peer loses its way in.
  await service.done('PUT', `/api/peers/${peer.id}`, { enabled: false })
  assert.equal(await host.canReach('10.75.0.1'), false)
  await device.down()
})

test('a tunnel with another key, and a port of another program, stand in the way', { skip }, async () => {
  await using world = await createTunnelWorld()
  const { server, service, folder } = world
  const text = (port: number, address: string) =>
    ['[Interface]', `PrivateKey = ${newKeys().privateKey}`, `Address = ${address}`, `ListenPort = ${port}`].join('\n')
  const tunnel = await createWgQuickClient(server, { text: text(51_876, '10.76.0.1/24'), folder })
  await tunnel.up()
  const files = [
    foreignFile(`${tunnel.name}.conf`, text(51_877, '10.77.0.1/24')),
    foreignFile('other.conf', text(51_876, '10.78.0.1/24')),
    foreignFile('lan.conf', text(51_878, `${endpoint}/24`)),
  ]
  const trial = await service.done('POST', '/api/server-import', { files, dry_run: true })
  const problems = trial.interfaces.map((on: { problems: { message: string }[] }) => on.problems[0]?.message)
  assert.match(problems[0], /has a network interface .* already; stop it, or choose another name/)
  assert.match(problems[1], /Another program on this host uses the UDP port 51876; stop it first/)
  assert.match(problems[2], /overlaps with 198\.51\.100\.1\/24, which this host reaches over/)
  // Stopped for now, only the networks of running interfaces count.
  const later = await service.done('POST', '/api/server-import', { files: files.slice(1, 2), start: false })
  assert.deepEqual([later.interfaces[0].enabled, later.problems], [false, 0])
  await tunnel.down()
  await service.done('POST', '/api/interfaces/other/start')
  assert.equal((await service.done('GET', '/api/interfaces/other')).status, 'active')
})
