import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { createLog, systemClock, systemTimers } from '@hearth/runtime'
import type { Tables } from '../src/tables.ts'
import { openFiltering } from '../src/filtering/filtering.ts'
import type { Resolver } from '../src/filtering/resolver-status.ts'
import { startService } from './in-process.ts'

/** The resolver while it is away. */
const away = () => Promise.reject(new Error('the resolver does not run'))
const resolver: Resolver = {
  state: undefined,
  quietMs: 0,
  restarts: 0,
  changed: away,
  changedClients: away,
  beginClientsFile: () => () => undefined,
  changedLists: away,
  explain: away,
  testUpstream: away,
  purgeLog: away,
  clearCache: away,
}

test('a restarted resolver knows the peer that DNS_LISTEN_CLIENT names', async () => {
  await using service = await startService()
  await using cleanup = new AsyncDisposableStack()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const database = openDatabase<Tables>({ file: join(service.folder, 'vpn.db') })
  cleanup.defer(() => database.close())
  const directory = join(service.folder, 'elsewhere')
  await openFiltering({
    watched: () => ({ tunnels: false, blocked: false }),
    database,
    directory,
    resolver,
    clock: systemClock,
    timers: systemTimers,
    log: createLog({ name: 'test', level: 'silent' }),
    engine: 'auto',
    extraListeners: [{ address: '127.0.0.1', port: 5353, device: null }],
    listenClient: 'phone',
    fixedUpstreams: undefined,
    hasTunnels: false,
    hits: () => Promise.resolve(new Map()),
    preview: away,
  })
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'))
  const [phone] = await read('clients.json')
  assert.equal(phone.name, 'phone')
  assert.equal((await read('settings.json')).listenClient, phone.number)
})
