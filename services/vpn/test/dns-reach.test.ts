import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { ReadAnswer } from './dns-packets.ts'
import { createHost, hostsObstacle, joinHosts, type NetworkHost } from './network-hosts.ts'
import { resolverFixture } from './resolver-fixture.ts'

const obstacle = await hostsObstacle()
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

async function askFrom(
  host: NetworkHost,
  address: string,
  source: string,
  timeoutMs = 700,
): Promise<ReadAnswer | null> {
  const script = file('dns-ask.ts')
  const asked = [address, '5353', 'x.blocked.example', source, String(timeoutMs)]
  return JSON.parse(await host.run(process.execPath, '--no-warnings', script, ...asked))
}

for (const engine of ['ffi', 'dgram'] as const) {
  test(
    `${engine}: a client that is neither a peer nor nearby gets no answer over any path`,
    { skip: obstacle ?? false, timeout: 60_000 },
    async () => {
      await using server = await createHost('dns')
      await using outside = await createHost('out')
      await using peer = await createHost('peer')
      const near = ['203.0.113.1/24', '192.168.7.1/24']
      await joinHosts([server, near], [outside, ['203.0.113.2/24', '192.168.7.2/24', '10.9.0.77/32']])
      const [tunnel] = await joinHosts([server, ['10.9.0.1/24']], [peer, ['10.9.0.2/24', '10.9.0.3/24']])
      // What comes from outside may pretend to be a peer; the server would even answer it there.
      for (const name of ['all', 'default']) await server.run('sysctl', '-qw', `net.ipv4.conf.${name}.rp_filter=0`)
      await outside.run('ip', 'route', 'add', '10.9.0.1/32', 'via', '203.0.113.1')
      await outside.run('ip', 'address', 'add', '10.9.0.2/32', 'dev', 'lo')
      await using fixture = await resolverFixture({
        engine,
        listeners: [
          { address: '10.9.0.1', port: 5353, device: tunnel },
          { address: '203.0.113.1', port: 5353, device: null },
          { address: '192.168.7.1', port: 5353, device: null },
        ],
      })
      const phone = { number: 1, id: 'p1', name: 'Phone', filtering: true, lists: null, logging: true }
      await fixture.write('clients', [{ ...phone, addresses: ['10.9.0.2'] }])
      await fixture.write('rules', [
        { number: 1, action: 'block', domain: 'blocked.example', belowOnly: false, client: 0 },
      ])
      const resolver = file('../src/resolver/resolver.ts')
      void server.start(process.execPath, '--no-warnings', resolver, fixture.directory)
      const answered = await eventually(
        () => askFrom(peer, '10.9.0.1', '10.9.0.2'),
        (answer) => answer !== null,
      )
      assert.deepEqual(answered?.addresses, ['0.0.0.0'])
      assert.equal(await askFrom(peer, '10.9.0.1', '10.9.0.3'), null, 'somebody unknown in the tunnel was answered')
      assert.equal(await askFrom(outside, '203.0.113.1', '203.0.113.2'), null, 'a public source was answered')
      assert.equal(await askFrom(outside, '10.9.0.1', '203.0.113.2'), null, 'the tunnel’s address answers outside')
      assert.equal(await askFrom(outside, '10.9.0.1', '10.9.0.2'), null, 'a forged source was answered')
      const nearby = await askFrom(outside, '192.168.7.1', '192.168.7.2', 6000)
      assert.deepEqual(nearby?.addresses, ['0.0.0.0'])

      // The device is made again, as when the interface is restarted.
      await server.run('ip', 'link', 'delete', tunnel)
      const [link] = await joinHosts([server, []], [peer, ['10.9.0.2/24']])
      await server.run('ip', 'link', 'set', link, 'down')
      await server.run('ip', 'link', 'set', link, 'name', tunnel)
      await server.run('ip', 'address', 'add', '10.9.0.1/24', 'dev', tunnel)
      await server.run('ip', 'link', 'set', tunnel, 'up')
      const again = await eventually(
        () => askFrom(peer, '10.9.0.1', '10.9.0.2'),
        (answer) => answer !== null,
      )
      assert.deepEqual(again?.addresses, ['0.0.0.0'])
    },
  )
}
