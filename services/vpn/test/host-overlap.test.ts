import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { parseRoutes4, parseRoutes6, readHostNetworks } from '../src/interfaces/host-networks.ts'
import { createHostedService } from './hosted-service.ts'
import { startService } from './in-process.ts'
import { createHost, joinHosts, tunnelsObstacle } from './network-hosts.ts'

test('the kernel’s routing tables are read without default routes', () => {
  const head = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n'
  const rest = '\t0\t0\t0\n'
  const routes = `eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000${rest}eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF${rest}tun0\t0000000A\t0102A8C0\t0003\t0\t0\t0\t000000FF${rest}`
  assert.deepEqual(parseRoutes4(head + routes), [
    { network: '192.0.2.0/24', device: 'eth0' },
    { network: '10.0.0.0/8', device: 'tun0' },
  ])
  const zero = '0'.repeat(32)
  const end = `00 ${zero} 00000100 00000001 00000000 00000001     eth0`
  const text = `fd000000000000000000000000000000 40 ${zero} ${end}\n${zero} 00 ${zero} ${end}\n`
  assert.deepEqual(parseRoutes6(text), [{ network: 'fd00:0000:0000:0000:0000:0000:0000:0000/64', device: 'eth0' }])
})

test('an interface on a network of this host is refused unless forced', async (context) => {
  const own = (await readHostNetworks()).find(({ network }) => !network.includes(':') && !network.endsWith('/32'))
  if (own === undefined) return context.skip('this host is in no IPv4 network')
  assert.ok(own.device in networkInterfaces())
  const [address = '', prefix = ''] = own.network.split('/')
  const on = `${address.replace(/\d+$/, '9')}/${Math.max(8, Math.min(30, Number(prefix)))}`
  await using service = await startService()
  const create = (more: object) => service.call('POST', '/api/interfaces', { name: 'wg0', address: on, ...more })
  const refused = await create({})
  assert.equal(refused.status, 409)
  assert.deepEqual([refused.body.details.field, refused.body.details.code], ['address', 'host_overlap'])
  assert.match(refused.body.message, new RegExp(`overlaps with .* over ${own.device}`))
  assert.equal((await service.call('POST', '/api/interfaces', { name: 'wg1', address: '10.77.0.1/24' })).status, 201)
  const moved = (more: object) => service.call('PUT', '/api/interfaces/wg1', { address: on, ...more })
  assert.equal((await moved({})).status, 409)
  assert.equal((await service.call('GET', '/api/interfaces/wg1')).body.data.address, '10.77.0.1/24')
  assert.equal((await create({ allow_host_overlap: true })).status, 201)
  assert.equal((await service.call('PUT', '/api/interfaces/wg0', { mtu: 1400 })).status, 200, 'it stays where it is')
  const proposal = (await service.call('GET', '/api/interface-proposal')).body.data
  assert.equal((await service.call('POST', '/api/interfaces', proposal)).status, 201)
})

const obstacle = await tunnelsObstacle()
test(
  'a host with real tunnels keeps its neighbours reachable',
  { skip: obstacle ?? false, timeout: 120_000 },
  async () => {
    await using folder = await temporaryDirectory('overlap')
    await using host = await createHost('overlap')
    await using neighbour = await createHost('neighbour')
    const links = await joinHosts([host, ['198.51.100.1/24']], [neighbour, ['198.51.100.2/24']])
    await host.run('ip', 'route', 'add', '203.0.113.0/24', 'via', '198.51.100.2')
    const service = await createHostedService(host, folder.path)
    await service.start()
    for (const address of ['198.51.100.77/24', '198.51.0.1/16', '203.0.113.1/25']) {
      const { status, body } = await service.call('POST', '/api/interfaces', { name: 'wgo', address })
      assert.equal(status, 409, address)
      assert.equal(body.details.device, links[0])
    }
    assert.ok(await host.canReach('198.51.100.2'))
    assert.equal((await service.call('POST', '/api/interfaces', { name: 'wgo', address: '10.77.0.1/24' })).status, 201)
    const again = await service.call('PUT', '/api/interfaces/wgo', { address: '10.77.0.1/25' })
    assert.equal(again.status, 200, 'its own device is not in its way')
    await service.stop()
  },
)
