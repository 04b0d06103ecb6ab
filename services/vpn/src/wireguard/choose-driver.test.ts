import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OperatorError } from '@hearth/runtime'
import { createHost, hostsObstacle } from '../../test/network-hosts.ts'
import { chooseBackend } from './choose-driver.ts'
import { createCommandRunner } from './command.ts'
import { DeviceError } from './device.ts'
import { describeHost, readHostFacts, type HostFacts } from './host-facts.ts'

const versions = { ip: '6.1.0', wg: '1.0', 'wireguard-go': '0.0', nft: '1.0.6' }
const complete: HostFacts = { isNetworkAdmin: true, tun: true, kernelModule: true, nft: true, versions }

describe('the backend choice', () => {
  test('takes the best available backend', () => {
    assert.equal(chooseBackend('auto', complete).backend, 'kernel')
    assert.equal(chooseBackend('auto', complete).advice, null)
    const noModule = { ...complete, kernelModule: 'Unknown device type' }
    assert.equal(chooseBackend('auto', noModule).backend, 'userspace')
    assert.equal(chooseBackend('auto', { ...noModule, tun: 'ENOENT' }).backend, 'simulated')
    assert.equal(chooseBackend('auto', { ...complete, versions: { ...versions, wg: undefined } }).backend, 'userspace')
  })

  test('simulates without privileges, and says how to get real tunnels', () => {
    const choice = chooseBackend('auto', {
      ...complete,
      isNetworkAdmin: false,
      versions: { ...versions, nft: undefined },
    })
    assert.equal(choice.backend, 'simulated')
    assert.match(
      choice.reason,
      /simulated and carry no traffic: the service may not change the network \(CAP_NET_ADMIN\)/,
    )
    assert.equal(choice.advice, 'for real tunnels: install nftables, run the service as root or with CAP_NET_ADMIN')
  })

  test('takes a named backend, or says why it cannot work', () => {
    for (const named of ['simulated', 'userspace', 'kernel'] as const) {
      const { backend, reason } = chooseBackend(named, complete)
      assert.deepEqual([backend, reason], [named, `WIREGUARD_BACKEND is set to ${named}`])
    }
    for (const [setting, facts, message] of [
      [
        'kernel',
        { ...complete, kernelModule: 'no' },
        /WIREGUARD_BACKEND: kernel cannot work here: the kernel has no WireGuard/,
      ],
      ['userspace', { ...complete, isNetworkAdmin: false }, /CAP_NET_ADMIN/],
      ['userspace', { ...complete, tun: 'EPERM' }, /\/dev\/net\/tun cannot be opened \(EPERM\)/],
      ['kernel', { ...complete, nft: 'not permitted' }, /nft does not work/],
    ] as const) {
      assert.throws(
        () => chooseBackend(setting, facts),
        (error: Error) => error instanceof OperatorError && message.test(error.message),
      )
    }
  })

  test('uses facts that can be read on any host', async (t) => {
    const obstacle = await hostsObstacle()
    if (obstacle !== null && obstacle !== 'needs root') return t.skip(obstacle)
    // As root the probe makes a link, and that belongs into a namespace; without root it cannot.
    const host = obstacle === null ? await createHost('facts') : undefined
    t.after(() => host?.[Symbol.asyncDispose]())
    const facts = await readHostFacts(createCommandRunner(host?.prefix))
    const described = describeHost(facts)
    assert.deepEqual(
      described.slice(0, 4).map(({ name }) => name),
      ['ip', 'wg', 'wireguard-go', 'nft'],
    )
    for (const { detail, meaning } of described) assert.ok(detail !== '' && meaning !== '')
    const commands: string[] = []
    const quick = await readHostFacts(
      (file, args) => {
        commands.push([file, ...args].join(' '))
        return Promise.reject(new DeviceError('not run'))
      },
      { withVersions: false },
    )
    const there = (found: HostFacts) =>
      Object.entries(found.versions).map(([name, version]) => [name, version !== undefined])
    assert.deepEqual(there(quick), there(facts))
    assert.ok(!commands.some((command) => /version/i.test(command)), commands.join('\n'))
    assert.ok(['kernel', 'userspace', 'simulated'].includes(chooseBackend('auto', facts).backend))
  })
})
