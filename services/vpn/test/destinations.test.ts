import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { tunnelsObstacle } from './network-hosts.ts'
import { createTunnelWorld, internetAddress, transfer } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
const geo = join(import.meta.dirname, 'data/geo')
/** An address of the test database: Boxford, GB. */
const inBritain = '2.125.160.217'
const mebibyte = 1024 * 1024

test(
  'the destinations of a device’s traffic are counted from the kernel’s connection table',
  { skip: obstacle ?? false },
  async () => {
    await using world = await createTunnelWorld({ GEOIP_COUNTRY_DB: join(geo, 'GeoLite2-City-Test.mmdb') })
    await world.internet.run('ip', 'address', 'add', `${inBritain}/32`, 'dev', 'lo')
    await world.server.run('ip', 'route', 'add', `${inBritain}/32`, 'via', internetAddress)
    const name = await world.addInterface({ address: '10.72.0.1/24' })
    const device = await world.connect('phone', { interface: name, routing_mode: 'full_tunnel' })
    const ask = () => world.service.done('GET', '/api/metrics/geo/countries?by=destination')
    assert.match((await ask()).reason, /destination_metrics_enabled/)
    await world.service.done('PUT', '/api/settings', { destination_metrics_enabled: true })
    await world.server.run('sysctl', '-qw', 'net.netfilter.nf_conntrack_acct=0')
    assert.match((await ask()).reason, /nf_conntrack_acct=1/)
    await world.server.run('sysctl', '-qw', 'net.netfilter.nf_conntrack_acct=1')
    assert.deepEqual([(await ask()).available, (await ask()).items], [true, []])
    const port = await world.echo(world.internet, inBritain)
    // Traffic goes on until it is seen: what moved before the first reading of the table is not counted.
    const { items } = await eventually(
      async () => {
        await transfer(device.host, { address: inBritain, port, bytes: mebibyte })
        return ask()
      },
      (answer) => answer.items.length > 0,
      { seconds: 60, everyMs: 1000 },
    )
    assert.deepEqual([items[0].code, items[0].peers, items[0].percentage], ['GB', 1, 100])
    assert.ok(items[0].rx_bytes > mebibyte && items[0].tx_bytes > mebibyte)
  },
)
