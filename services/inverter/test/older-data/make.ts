import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemTimers } from '@hearth/runtime'
import { eventually, makeOlderData } from '@hearth/testing'
import { loadCatalog } from '../../src/catalog/catalog.ts'
import { openStorage } from '../../src/database/open.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

/** Writes the data of `older-data.test.ts` with the code as it is now. Run by hand: `node services/inverter/test/older-data/make.ts`. */

const password = 'tall-giraffe-on-ice-7'
const hmacSecret = 'a-secret-of-tests-with-more-than-32-characters'
const far = Date.parse('2100-01-01T00:00:00Z')
const catalog = loadCatalog()
const simulator = await startSimulator({ port: 0, timers: systemTimers, catalog, seed: 1 })

await makeOlderData(import.meta.dirname, {
  service: 'inverter',
  environment: { HMAC_SECRET: hmacSecret, RATE_LIMIT_EXEMPT: '127.0.0.1' },
  changing: [
    'last_used_at csrf_token expires_at last_success_at age_seconds readings bind_port state phase',
    'control_state ready connection connected connection_state restore_attempts next_restore_at',
    'fault_code last_error',
  ].flatMap((names) => names.split(' ')),
  isKilled: true,
  async fill(visitor, data) {
    const first = (await readFile(join(data, 'initial-admin-password'), 'utf8')).trim()
    const signIn = { path: '/admin/api/session', json: { username: 'admin', password } }
    await visitor.demand('POST', signIn.path, { json: { username: 'admin', password: first } })
    const change = { current_password: first, new_password: password }
    await visitor.demand('POST', '/admin/api/session/password', { json: change })
    await visitor.demand('POST', signIn.path, { json: signIn.json })
    const send = (method: string, path: string, json: object) => visitor.demand(method, path, { json })
    const tokens: { token: string }[] = []
    for (const role of ['read', 'read_write'])
      tokens.push(await send('POST', '/admin/api/tokens', { name: `test ${role}`, role }))
    const { port } = simulator
    await send('POST', '/admin/api/devices', { device_id: 'roof', display_name: 'Roof', host: '127.0.0.1', port })
    await send('POST', '/admin/api/devices', { device_id: 'garage', host: '127.0.0.1', port: 1, network_id: 7 })
    await send('PUT', '/admin/api/write-access', { enabled: true })
    await send('PATCH', '/admin/api/parameters', { approve: catalog.roles.dispatchRegisters })
    const limits = { max_charge_power_w: 3000, max_discharge_power_w: 2500 }
    for (const id of ['roof', 'garage']) await send('PUT', `/admin/api/dispatch/devices/${id}`, limits)
    const verified = { status: 'verified', verified_device_model: 'Simulator', verified_firmware: '1', note: 'tested' }
    const capability = (name: string, more: object = {}) =>
      send('PUT', `/admin/api/dispatch/devices/roof/capabilities/${name}`, { ...verified, ...more })
    await capability('battery_power_sign_convention')
    await capability('grid_power_sign_convention')
    await capability('write_path_convention', { soc_strategy_external_code: 2 })
    await send('PUT', '/admin/api/settings', {
      live_interval_seconds: 7,
      scraper: { metrics: ['battery_soc'], token_required: true, sources: ['192.0.2.0/24'], requests_per_minute: 30 },
    })
    const widget = { id: 'battery', x: 0, y: 0, w: 4, h: 3, visible: true }
    await send('PUT', '/admin/api/dashboard-layout', { version: 1, widgets: [widget] })
    await send('PUT', '/admin/api/energy/devices/garage/mode', { mode: 'external' })
    await send('PUT', '/admin/api/energy/devices/roof/mode', { mode: 'manual' })
    await eventually(
      () => visitor.send('POST', '/admin/api/energy/devices/roof/command', { json: { action: 'hold' } }),
      ({ status }) => status === 200,
      { what: 'a first command', seconds: 60, everyMs: 500 },
    )
    await send('POST', '/admin/api/energy/devices/roof/command', { action: 'auto' })
    const path = '/api/v1/devices/roof/battery/dispatch'
    const body = { mode: 'hold', valid_until: new Date(Date.now() + 600_000).toISOString() }
    await send('POST', path, body)
    await eventually(
      async () => (await visitor.demand('GET', path)).state as string,
      (state) => state === 'holding',
      { what: 'a dispatch', seconds: 60 },
    )
    const newest = (await visitor.demand('GET', '/api/v1/devices/roof/journal')).entries[0].id as number
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const bearer = (index: number) => ({ authorization: `Bearer ${tokens[index]?.token}` })
    return {
      signIn,
      credentials: [
        { what: 'a read token', headers: bearer(0), path: '/api/v1/devices', isInBackup: true },
        { what: 'a read and write token', headers: bearer(1), path: '/api/v1/devices', isInBackup: true },
        { what: 'a session', headers: { cookie }, path: '/admin/api/session', isInBackup: true },
      ],
      paths: [
        '/admin/api/devices',
        '/admin/api/dispatch/devices',
        '/admin/api/dispatch/devices/roof/capabilities',
        '/admin/api/energy/devices',
        '/admin/api/tokens',
        '/admin/api/settings',
        '/admin/api/dashboard-layout',
        path,
        // Attempts after the start are stored too.
        `/api/v1/devices/roof/journal?before=${newest + 1}`,
      ],
    }
  },
  async beforePacking(dataDirectory) {
    await simulator.close()
    const { database } = await openStorage({ dataDirectory, hmacSecret })
    await database.query.updateTable('sessions').set({ created_at: far, last_used_at: far }).execute()
    // No server listens there.
    await database.query.updateTable('devices').set({ port: 1 }).execute()
    await database.close()
  },
})
