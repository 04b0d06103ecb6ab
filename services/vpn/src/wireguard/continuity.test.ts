import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { createHost, joinHosts, tunnelsObstacle, uniqueName } from '../../test/network-hosts.ts'
import { createCommandRunner } from './command.ts'
import type { DevicePeer } from './device.ts'
import { createSimulatedFirewall } from './firewall.ts'
import { generateKeyPair, generatePresharedKey } from './keys.ts'
import { Tunnels } from './tunnels.ts'
import { lockedChanges } from '../../test/locked-changes.ts'
import { createUserspaceDriver } from './userspace-driver.ts'

const obstacle = await tunnelsObstacle()
if (obstacle !== null) console.log(`sessions are not tested: ${obstacle}`)

function otherPeer(number: number): DevicePeer {
  return {
    publicKey: generateKeyPair().publicKey,
    presharedKey: generatePresharedKey(),
    allowedIps: [`10.8.1.${number}/32`],
  }
}

describe('a session', { skip: obstacle ?? false }, () => {
  test('loses no packet and keeps counting while other peers are added, changed and removed', async () => {
    await using server = await createHost('server')
    await using client = await createHost('client')
    await joinHosts([server, ['192.0.2.1/24']], [client, ['192.0.2.2/24']])
    const [name, clientName, presharedKey] = [uniqueName('ws'), uniqueName('wc'), generatePresharedKey()]
    const [ours, theirs] = [generateKeyPair(), generateKeyPair()]
    const peer: DevicePeer = { publicKey: theirs.publicKey, presharedKey, allowedIps: ['10.8.0.2/32'] }
    const config = {
      name,
      privateKey: ours.privateKey,
      listenPort: 51_820,
      addresses: ['10.8.0.1/16'],
      mtu: 1420,
      routes: [],
    }
    const rules = { name, subnets: ['10.8.0.0/16'], networks: [], nat: false, forwarding: false, isolated: [] }
    const driver = createUserspaceDriver(createCommandRunner(server.prefix))
    const log = createLog({ name: 'test', level: 'silent' })
    const peers = [peer]
    const desired = () => Promise.resolve([{ config, peers, rules, running: true }])
    const tunnels = new Tunnels({ driver, firewall: createSimulatedFirewall(), desired, log })
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => tunnels.close())
    await lockedChanges(tunnels).bring({ config, peers, rules })

    const far = createUserspaceDriver(createCommandRunner(client.prefix))
    await far.ensure({ ...config, name: clientName, privateKey: theirs.privateKey, addresses: ['10.8.0.2/16'] })
    await far.change(clientName, [
      { kind: 'set', peer: { publicKey: ours.publicKey, presharedKey, allowedIps: ['10.8.0.1/32'] } },
    ])
    await client.run('wg', 'set', clientName, 'peer', ours.publicKey, 'endpoint', '192.0.2.1:51820')
    assert.ok(await client.canReach('10.8.0.1'))
    const before = (await tunnels.read(name))?.peers.get(theirs.publicKey)
    assert.ok(before?.latestHandshake != null && before.endpoint === '192.0.2.2:51820')

    const pinging = client.start('ping', '-q', '-i', '0.02', '-c', '75', '-W', '2', '10.8.0.1')
    for (let number = 2; number < 60; number += 1) {
      const other = otherPeer(number)
      await lockedChanges(tunnels).apply(name, [{ kind: 'set', peer: other }])
      await lockedChanges(tunnels).apply(name, [{ kind: 'set', peer: { ...other, presharedKey: null } }])
      if (number % 2 === 0) await lockedChanges(tunnels).apply(name, [{ kind: 'remove', publicKey: other.publicKey }])
      else peers.push({ ...other, presharedKey: null })
      if (number % 10 === 0) await tunnels.reconcile(name)
      if (number % 20 === 0)
        await lockedChanges(tunnels).bring({ config: { ...config, mtu: 1400 - number }, peers, rules })
    }
    assert.match((await pinging).stdout, /75 packets transmitted, 75 received, 0% packet loss/)
    const after = (await tunnels.read(name))?.peers.get(theirs.publicKey)
    assert.equal(after?.latestHandshake, before.latestHandshake)
    assert.ok((after?.rxBytes ?? 0) > before.rxBytes && (after?.txBytes ?? 0) > before.txBytes)
  })
})
