import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startInverter } from './browser-fixture.ts'
import { startGateway } from './in-process.ts'

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
