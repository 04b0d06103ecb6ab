import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndpointContext, endpointReach, readPublicEndpoint } from '../src/settings/public-endpoint.ts'
import { startService } from './in-process.ts'

test('the public endpoint in use is shown with its reach, before a device is configured with it', async () => {
  await using service = await startService()
  const fresh = await service.call('GET', '/api/public-endpoint')
  assert.equal(fresh.status, 200)
  assert.equal(fresh.body.data.source, 'request')
  assert.equal(fresh.body.data.reach, 'loopback')
  for (const { reach } of fresh.body.data.candidates) assert.notEqual(reach, 'loopback')

  await service.call('PUT', '/api/settings', { public_endpoint: '192.168.1.20' })
  const home = await service.call('GET', '/api/public-endpoint')
  assert.deepEqual(
    [home.body.data.host, home.body.data.source, home.body.data.reach],
    ['192.168.1.20', 'setting', 'private'],
  )
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const peer = await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const config = await service.call('GET', `/api/peers/${peer.body.data.id}/config`)
  assert.match(config.text, /^Endpoint = 192\.168\.1\.20:51820$/m)
})

test('the variables provide the public endpoint until the setting does', async () => {
  await using service = await startService({ PUBLIC_URL: 'https://vpn.example.org' })
  const { body } = await service.call('GET', '/api/public-endpoint')
  assert.deepEqual([body.data.host, body.data.source, body.data.reach], ['vpn.example.org', 'PUBLIC_URL', 'public'])
  assert.deepEqual(body.data.candidates[0], { host: 'vpn.example.org', source: 'PUBLIC_URL', reach: 'public' })
})

test('candidates are the machine’s addresses and names, without tunnels, containers and loopback', async () => {
  const context: EndpointContext = {
    setting: () => '',
    fixed: undefined,
    ownInterfaces: async () => new Set(['wg0']),
    machine: () => ({
      hostname: 'server',
      addresses: [
        { link: 'eth0', address: '192.168.1.20' },
        { link: 'eth0', address: '2a01:4f8::20' },
        { link: 'wg0', address: '10.13.13.1' },
        { link: 'docker0', address: '172.17.0.1' },
      ],
    }),
  }
  const { candidates } = await readPublicEndpoint(context, '127.0.0.1')
  assert.deepEqual(candidates, [
    { host: '2a01:4f8::20', source: 'address', reach: 'public' },
    { host: '192.168.1.20', source: 'address', reach: 'private' },
    { host: 'server', source: 'host name', reach: 'private' },
  ])
})

test('an endpoint is classified as public, private or loopback by its form', () => {
  const expected = {
    public: ['vpn.example.com', '81.2.69.142', '2a01:4f8::1', 'HOME.dyndns.org'],
    private: [
      '192.168.1.2',
      '10.0.0.1',
      '100.64.0.1',
      'fd00::1',
      'nas',
      'nas.local',
      'box.lan',
      'x.home.arpa',
      '169.254.1.1',
    ],
    loopback: ['127.0.0.1', '127.8.8.8', '::1', 'localhost', 'app.localhost', '0.0.0.0'],
  }
  for (const [reach, hosts] of Object.entries(expected))
    for (const host of hosts) assert.equal(endpointReach(host), reach, host)
})
