import assert from 'node:assert/strict'
import { readdir, readlink } from 'node:fs/promises'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { plainSettings } from '../../test/resolver-fixture.ts'
import { createRingMemory } from '../dns/log-ring.ts'
import { emptyBundle } from '../dns/policy/list-bundle.ts'
import { openLibc } from '../dns/sockets/libc.ts'
import { ClientsInForce } from './clients-in-force.ts'
import { DataThreadHost, type DataThreadDependencies } from './data-thread-host.ts'
import { startConfig } from './read-files.ts'
import { PeerNamesInForce } from './peer-names-in-force.ts'
import { RecordsInForce } from './records-in-force.ts'
import { ZonesInForce } from './zones-in-force.ts'

function start(some: Partial<DataThreadDependencies>): { host: DataThreadHost; warnings: string[] } {
  const warnings: string[] = []
  const bundle = emptyBundle()
  const clients = new ClientsInForce([], bundle)
  const files = {
    settings: plainSettings,
    clients,
    profiles: [],
    rules: [],
    lists: [],
    records: new RecordsInForce([]),
    peerNames: new PeerNamesInForce([]),
    zones: new ZonesInForce([]),
  }
  const servers = { endpoint: { address: '127.0.0.1', port: 9 }, ports: 8, byStream: -1, isBridge: false }
  const open = { listeners: [], upstreams: [{ ...servers, isFallback: false, before: -1, number: 1 }], groups: [[0]] }
  const host = new DataThreadHost({
    mode: 'dgram',
    config: startConfig(files, bundle, open),
    ring: createRingMemory(4096),
    libc: undefined,
    onNote: () => undefined,
    warn: (message) => warnings.push(message),
    ...some,
  })
  return { host, warnings }
}

for (const { way, file } of [
  { way: 'in a loop', file: 'hanging-thread.ts' },
  { way: 'asleep', file: 'hanging-thread.ts?asleep' },
])
  test(`a hanging data thread, ${way}, is replaced`, { timeout: 60_000 }, async () => {
    const { host, warnings } = start({ entry: new URL(`../../test/${file}`, import.meta.url) })
    try {
      await eventually(
        () => host.replacements,
        (count) => count > 0,
      )
      assert.ok(warnings.includes('the data thread hangs'))
    } finally {
      await host.close()
    }
  })

test('a killed data thread leaves no socket open', { timeout: 30_000 }, async (t) => {
  const libc = await openLibc().catch((error: Error) => t.skip(error.message))
  if (libc === undefined) return
  const sockets = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    return links.filter((link) => link.startsWith('socket:')).length
  }
  const before = await sockets()
  const { host } = start({ mode: 'ffi', libc })
  for (let times = 1; times <= 2; times++) {
    host.update({})
    await host.settled()
    await eventually(sockets, (count) => count === before + 8)
    host.replace()
    await eventually(
      () => host.replacements,
      (count) => count === times,
    )
  }
  await eventually(sockets, (count) => count === before + 8)
  await host.close()
  await eventually(sockets, (count) => count === before)
})
