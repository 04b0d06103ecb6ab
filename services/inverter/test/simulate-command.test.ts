import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startInverter } from './browser-fixture.ts'
import { solarAt } from '../src/simulator/plant.ts'
import { simulatedPrices } from '../src/simulator/price-server.ts'
import { startGateway } from './in-process.ts'
import { configurePlans, planWhen } from './plans-fixture.ts'

test('the simulate command runs a plant and applies faults that concern its addresses', async () => {
  await using folder = await temporaryDirectory('plant')
  const faults = join(folder.path, 'faults.json')
  await writeFile(faults, '{}')
  await using plant = await startInverter(['--network-id', '7', '9', '--faults', faults])
  await using gateway = await startGateway({
    device: null,
    speed: 1,
    environment: { ENABLE_VENDOR_DIAGNOSTICS: 'true' },
  })
  const add = (more: object) =>
    gateway.operate('POST', '/admin/api/devices', {
      host: '127.0.0.1',
      port: plant.port,
      periodic_reads: false,
      ...more,
    })
  await add({ device_id: 'roof' })
  await add({ device_id: 'garage', network_id: 7 })
  const serial = (id: string) => gateway.call('GET', `/api/v1/devices/${id}/metrics/inverter_serial?fresh=true`)
  const isRead = ({ status }: { status: number }) => status === 200
  const first = await eventually(() => serial('roof'), isRead, { what: 'the first inverter' })
  const second = await eventually(() => serial('garage'), isRead, { what: 'the inverter at the plant address' })
  assert.deepEqual([first.body.value, second.body.value], ['SIM000000001', 'SIM000000007'])
  const { body: found } = await gateway.call('GET', '/api/v1/vendor/rct/devices/roof/slaves')
  const ids = (found.slaves as { network_id: number }[]).map(({ network_id: id }) => id)
  assert.deepEqual(
    ids.toSorted((a, b) => a - b),
    [7, 9],
  )

  await writeFile(faults, JSON.stringify({ plainForPlant: true }))
  const broken = await eventually(
    () => serial('garage'),
    ({ status, body }) => status !== 200 || body.stale === true,
    { what: 'an answer without the plant address', seconds: 30 },
  )
  assert.ok(broken.status === 502 || broken.body.stale_reason !== null, broken.text)
})

test('plans are seen without hardware or network, by prices that the simulation serves', async () => {
  await using inverter = await startInverter(['--clouds', '0', '--prices-port', '0'])
  const { host } = new URL(inverter.pricesUrl)
  await using gateway = await startGateway({ device: null, speed: 1, environment: { OUTBOUND_ALLOW: host } })
  const device = { device_id: 'main', host: '127.0.0.1', port: inverter.port }
  await gateway.operate('POST', '/admin/api/devices', device)
  await gateway.isReady()
  const limits = { max_charge_power_w: 3000, max_discharge_power_w: 3000 }
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', limits)
  const source = { price_source: 'json', price_url: inverter.pricesUrl, price_list: 'prices' }
  await configurePlans(gateway, { enabled: true, ...source })
  const { plan } = await planWhen(gateway, (reply) => reply.plan !== null, 'a plan of the served prices')
  assert.ok(plan !== null && new Set(plan.steps.map(({ buy }) => buy)).size > 3, 'prices that change')
})

test('a clear sky gives more than a cloudy one, and the same seed the same clouds and prices', () => {
  const noon = Date.UTC(2026, 5, 21, 12)
  const sum = (clouds: number, seed = 1) =>
    Array.from({ length: 60 }, (_, minute) => solarAt(noon + minute * 60_000, seed, clouds).solarA).reduce(
      (total, watts) => total + watts,
      0,
    )
  assert.ok(sum(0) > sum(0.65) && sum(0.65) > sum(1))
  assert.equal(sum(0.9), sum(0.9))
  assert.notEqual(sum(0.9, 1), sum(0.9, 2))
  const morning = simulatedPrices(noon - 3_600_000, 4)
  assert.deepEqual(morning, simulatedPrices(noon, 4))
  assert.equal(morning.length, 48)
  const afternoon = simulatedPrices(noon + 3_600_000, 4)
  assert.deepEqual([afternoon.length, afternoon.slice(0, 48)], [72, morning])
})
