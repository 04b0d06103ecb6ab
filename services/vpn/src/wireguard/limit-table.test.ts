import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHost, hostsObstacle } from '../../test/network-hosts.ts'
import { createCommandRunner, type RunCommand } from './command.ts'
import { createLimitTable } from './limit-table.ts'
import type { PeerLimit } from './limit-text.ts'

const obstacle = await hostsObstacle()
if (obstacle !== null) console.log(`the table of limits is not tested on a kernel: ${obstacle}`)

const limit = (number: number, more: Partial<PeerLimit> = {}): PeerLimit => ({
  id: `p${number}`,
  interface: 'wg0',
  addresses: [`10.8.0.${number}`, `fd08::${number.toString(16)}`],
  down: 1_250_000,
  up: 1_048_576,
  networks: [],
  isStopped: false,
  ...more,
})

describe('the table of limits', { skip: obstacle ?? false }, () => {
  test('follows changes peer by peer, sees what others change, and goes with the last limit', async () => {
    await using host = await createHost('limit')
    let files: string[] = []
    const inHost = createCommandRunner(host.prefix)
    const run: RunCommand = (file, args, options) => {
      if (options?.secretInput !== undefined) files.push(options.secretInput)
      return inHost(file, args, options)
    }
    const table = createLimitTable(run)
    const listed = () => inHost('nft', ['list', 'tables'])
    await table.replace([])
    assert.equal(await listed(), '')
    await table.replace([limit(2), limit(3, { down: null }), limit(4)])
    assert.equal(await table.hasDrifted(), false)
    files = []
    await table.replace([limit(2), limit(3, { down: null }), limit(4)])
    assert.equal(files.length, 0, 'what is in force already is not written')

    await table.change(['p2'], [limit(2, { down: 2_500_000 })])
    await table.change(['p4', 'p5'], [limit(5, { up: null, addresses: ['10.8.0.5'] })])
    await table.change(['p4'], [limit(4, { isStopped: true, down: null, up: null })])
    // Two peers exchange their addresses.
    await table.change(['p2', 'p5'], [limit(5, { id: 'p2' }), limit(2, { id: 'p5', up: 9_000_000 })])
    assert.equal(await table.hasDrifted(), false)
    assert.ok(!files.some((file) => file.includes('10.8.0.3') || file.includes('table inet')), files.join('\n'))

    for (const tampering of [
      'delete element inet hearth_vpn_limits up4 { "wg0" . 10.8.0.3 }',
      'add limit inet hearth_vpn_limits other { rate over 5 bytes/second burst 5 bytes; }',
      'flush chain inet hearth_vpn_limits down',
      'delete table inet hearth_vpn_limits',
      'delete element inet hearth_vpn_limits stopped6 { "wg0" . fd08::4 }',
    ]) {
      await inHost('nft', ['-f', '/dev/stdin'], { secretInput: `${tampering}\n` })
      assert.equal(await table.hasDrifted(), true, tampering)
      await table.repair()
      assert.equal(await table.hasDrifted(), false, tampering)
    }
    // A change of elements that are gone writes the whole table.
    await inHost('nft', ['delete', 'table', 'inet', 'hearth_vpn_limits'])
    await table.change(['p3'], [limit(3, { up: 125_000 })])
    assert.equal(await table.hasDrifted(), false)

    const networks = ['10.20.0.0/16', 'fd20::/48', '10.30.0.5/32', 'fd30::5/128']
    files = []
    await table.change(['p2'], [limit(2, { networks })])
    assert.equal(await table.hasDrifted(), false)
    assert.match(files.join(''), /table inet/, 'the first networks need another table')
    files = []
    await table.change(['p2'], [limit(2, { networks, up: 3_000_000 })])
    await table.change(['p4'], [limit(4, { networks: ['10.40.0.0/16'], isStopped: true, down: null, up: null })])
    await table.change(['p2', 'p4'], [limit(2, { networks: ['10.40.0.0/16'] }), limit(4, { networks })])
    assert.equal(await table.hasDrifted(), false)
    assert.doesNotMatch(files.join(''), /table inet/)
    await inHost('nft', ['delete', 'element', 'inet', 'hearth_vpn_limits', 'down_net4', '{ "wg0" . 10.20.0.0/16 }'])
    assert.equal(await table.hasDrifted(), true)
    await table.repair()
    await table.change(['p2', 'p4'], [limit(2), limit(4)])
    assert.equal(await table.hasDrifted(), false)
    assert.doesNotMatch(await inHost('nft', ['list', 'table', 'inet', 'hearth_vpn_limits']), /_net/)

    await table.change(['p2', 'p3', 'p4', 'p5'], [])
    assert.equal(await listed(), '')
    await table.change(['p2'], [limit(2)])
    await table.remove()
    assert.equal(await listed(), '')
  })
})
