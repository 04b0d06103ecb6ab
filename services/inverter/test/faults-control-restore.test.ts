import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, runCommand, temporaryDirectory } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import type { DispatchStore } from '../src/dispatch/store.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import {
  dispatchOf,
  dispatchPath,
  evening,
  giveOwnSettings,
  onWrite,
  ownSettings,
  reaches,
  readinessOf,
  register,
  registersOf,
  start,
  startWithBattery,
  stop,
  wish,
  writesOf,
  type Mode,
} from './battery.ts'
import { catalog, main, startGateway, type TestGateway } from './in-process.ts'

const absences = { 'at once': 0, 'after 20 seconds': 20_000, 'after 10 minutes': 600_000 }
const positions = [1, 2, 3, 4, 5]

/** Starts an operation and stops it; the inverter becomes unreachable at this write of the restore. */
async function loseWhileHandingBack(gateway: TestGateway, position: number): Promise<void> {
  const { inverter } = gateway
  await begin(gateway, 'charge_from_grid')
  let isAway = false
  onWrite(inverter, (_name, count) => {
    if (count === position) {
      isAway = true
      inverter.setFaults({ refuse: true })
    }
    return count === position ? 'lose' : undefined
  })
  const reply = await stop(gateway)
  assert.deepEqual([reply.status, reply.body.state], [200, 'fault_restore_pending'], reply.text)
  await eventually(
    () => isAway,
    (away) => away,
  )
  const pending = await reaches(gateway, 'fault_restore_pending')
  assert.deepEqual([pending.restore_required, pending.control_state], [true, 'unknown'])
  assert.notEqual(pending.next_restore_at, null)
}

/** Starts, again when this machine was too slow for its fast time, so that the device seemed not to answer. */
async function begin(gateway: TestGateway, mode: Mode): Promise<void> {
  const attempt = () => start(gateway, mode)
  await eventually(attempt, ({ status }) => status === 200, { what: mode })
}

for (const [when, ms] of Object.entries(absences))
  test(`39 an inverter lost at any step of a restore gets its settings when it is reachable again ${when}`, async () => {
    // The inverters are lost one after the other, so that each loss is undisturbed; the waits run together.
    const gateways: TestGateway[] = []
    for (const position of positions) {
      gateways.push(await startWithBattery({ speed: ms > 60_000 ? 60 : 25 }))
      await loseWhileHandingBack(gateways.at(-1) as TestGateway, position)
    }
    await Promise.all(
      gateways.map(async (each) => {
        await using gateway = each
        const refused = await start(gateway, 'hold')
        assert.deepEqual([refused.status, refused.body.code], [409, 'dispatch_restore_required'], refused.text)
        const { status, device } = await readinessOf(gateway)
        assert.deepEqual([status, device.ready, device.dispatch_restore_pending], [503, false, true])
        if (ms > 0) await gateway.timers.delay(ms)
        if (ms > 60_000) assert.ok((await dispatchOf(gateway)).restore_attempts > 5)
        gateway.inverter.clearFaults()
        const { stop_reason: reason, restore_required: required } = await reaches(gateway, 'idle')
        assert.deepEqual([reason, required], ['operator_cancelled', false])
        assert.deepEqual(registersOf(gateway.inverter), ownSettings)
        await gateway.isReady()
        await begin(gateway, 'hold')
      }),
    )
  })

test('39 a restore is retried after 1, 2, 4, 8, 16 and then every 30 seconds, and reports the next attempt', async () => {
  const pauses: number[] = []
  let failedAt: number | undefined
  const timers = createFastTimers(60, evening)
  await using gateway = await startWithBattery({
    timers,
    wrapDispatchStore: (store) => ({
      ...store,
      async save(deviceId, row) {
        if (row.state === 'restoring' && failedAt !== undefined) pauses.push(timers.monotonic() - failedAt)
        failedAt = row.state === 'fault_restore_pending' ? timers.monotonic() : undefined
        await store.save(deviceId, row)
      },
    }),
  })
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  gateway.inverter.setFaults({ stuck: [register.strategy] })
  assert.equal((await stop(gateway)).body.state, 'fault_restore_pending')
  const expected = [1, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1000)
  await eventually(
    () => pauses.length,
    (count) => count >= expected.length,
  )
  for (const [index, least] of expected.entries()) {
    const pause = pauses[index] ?? 0
    assert.ok(pause >= least - 100 && pause < least + 4000, pauses.join(', '))
  }
  const pending = await reaches(gateway, 'fault_restore_pending')
  assert.ok(pending.restore_attempts >= 8)
  const ahead = Date.parse(pending.next_restore_at) - timers.now()
  assert.ok(ahead <= 30_000, String(ahead))
  gateway.inverter.clearFaults()
  assert.equal((await stop(gateway)).body.state, 'idle')
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('39 until the restore succeeds no other caller can write the registers of the operation', async () => {
  await using gateway = await startWithBattery()
  await gateway.allowWriting('battery_soc_target')
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  gateway.inverter.setFaults({ stuck: [register.strategy] })
  await stop(gateway)
  const refused = await gateway.call('PUT', main(`/metrics/${register.target}`), { value: 0.7 })
  assert.ok([409, 503].includes(refused.status), refused.text)
  gateway.inverter.clearFaults()
  await reaches(gateway, 'idle')
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('41 the service does not start with another HMAC_SECRET, and sends nothing to the inverter', async () => {
  await using folder = await temporaryDirectory('inverter')
  const timers = createFastTimers(40, evening)
  await using first = await startWithBattery({ folder: folder.path, timers })
  await start(first, 'charge_from_grid')
  await first.stop()
  const { inverter } = first
  const seen = inverter.wire.length
  const environment = { HMAC_SECRET: 'another-secret-of-more-than-32-characters' }
  await assert.rejects(startGateway({ folder: folder.path, inverter, timers, environment }), /HMAC_SECRET/)
  assert.equal(inverter.wire.length, seen)
  await using again = await startGateway({ folder: folder.path, inverter, timers })
  await again.isReady()
})

/** Replaces the stored record while no service runs. */
async function damageRecord(folder: string, deviceId: string, record: string): Promise<void> {
  const { database } = await openStorage(readConfig({ DATA_DIR: folder }))
  await database.query.updateTable('dispatch_records').set({ record }).where('device_id', '=', deviceId).execute()
  await database.close()
}

test('41 an unreadable record blocks only its own device, until the operator deletes it', async () => {
  await using folder = await temporaryDirectory('inverter')
  const timers = createFastTimers(40, evening)
  const neighbour = await startSimulator({ port: 0, timers, catalog, seed: 2 })
  await using _neighbour = { [Symbol.asyncDispose]: () => neighbour.close() }
  await using first = await startWithBattery({ folder: folder.path, timers })
  const other = { device_id: 'other', host: '127.0.0.1', port: neighbour.port }
  await first.operate('POST', '/admin/api/devices', other)
  await start(first, 'hold')
  await first.stop()
  await damageRecord(folder.path, 'main', '{"phase":"controlling"}')
  const seen = writesOf(first.inverter).length

  await using gateway = await startGateway({ folder: folder.path, inverter: first.inverter, timers })
  for (const method of ['GET', 'POST', 'DELETE']) {
    const body = method === 'POST' ? wish(gateway, 'hold') : undefined
    const reply = await gateway.call(method, dispatchPath, body)
    assert.deepEqual([reply.status, reply.body.code], [503, 'dispatch_record_corrupt'], reply.text)
  }
  assert.equal((await gateway.call('GET', main('/metrics/battery_soc'))).status, 200)
  assert.equal((await gateway.call('GET', '/api/v1/devices/other/battery/dispatch')).body.state, 'idle')
  const readiness = await eventually(
    () => gateway.call('GET', '/api/v1/readiness'),
    ({ body }) => body.devices.every(({ state }: { state: string }) => state === 'ok'),
  )
  const states = readiness.body.devices.map((device: Record<string, unknown>) => [
    device['device_id'],
    device['ready'],
    device['dispatch_record_corrupt'],
  ])
  assert.deepEqual(
    [readiness.status, states],
    [
      503,
      [
        ['main', false, true],
        ['other', true, false],
      ],
    ],
  )
  const command = ['inverter', 'forget-dispatch', '--device']
  const notDamaged = await runCommand([...command, 'other'], { DATA_DIR: folder.path })
  assert.equal(notDamaged.code, 1, notDamaged.stderr)
  const forgotten = await runCommand([...command, 'main'], { DATA_DIR: folder.path })
  assert.equal(forgotten.code, 0, forgotten.stderr)
  assert.equal((await dispatchOf(gateway)).state, 'idle')
  await gateway.isReady()
  assert.equal(writesOf(first.inverter).length, seen)
  // A machine that is too slow for the fast time lets the device seem away for a moment, also after it was ready.
  await eventually(
    () => start(gateway, 'hold'),
    ({ status }) => status === 200,
  )
  await gateway.stop()
})

/** A disk that refuses writes from the nth record on, while it is full. */
class Disk {
  isFull = false
  fullFrom = Infinity
  saved = 0

  wrap = (store: DispatchStore): DispatchStore => ({
    ...store,
    save: async (deviceId, row) => {
      this.saved += 1
      if (this.isFull || this.saved >= this.fullFrom) throw new Error('no space left on the disk')
      await store.save(deviceId, row)
    },
  })
}

test('41 a start is refused on a full disk and undone when the disk fills up at any later point', async () => {
  const disk = new Disk()
  await using gateway = await startWithBattery({ wrapDispatchStore: disk.wrap })
  disk.isFull = true
  const refused = await start(gateway, 'charge_from_grid')
  assert.deepEqual([refused.status, refused.body.code], [503, 'dispatch_store_unavailable'], refused.text)
  assert.deepEqual(writesOf(gateway.inverter), [])
  disk.isFull = false
  for (let point = 1; ; point += 1) {
    giveOwnSettings(gateway.inverter)
    disk.saved = 0
    disk.fullFrom = point
    const before = writesOf(gateway.inverter).length
    const reply = await start(gateway, 'charge_from_grid')
    disk.fullFrom = Infinity
    if (reply.status === 502) {
      // This machine was too slow for its fast time, so that the device seemed not to answer: the same point again.
      await reaches(gateway, 'idle')
      point -= 1
      continue
    }
    if (reply.status === 200) {
      assert.ok(point > 10, String(point))
      break
    }
    assert.deepEqual([reply.status, reply.body.code], [503, 'dispatch_store_unavailable'], reply.text)
    // Intent, snapshot and the announcement of the first write are on the disk before that is sent.
    if (point <= 3) assert.equal(writesOf(gateway.inverter).length, before)
    assert.deepEqual(registersOf(gateway.inverter), ownSettings, `point ${point}`)
    await reaches(gateway, 'idle')
    await gateway.isReady()
  }
  assert.equal((await stop(gateway)).body.state, 'idle')
})

test('41 the device is restored even when the disk fills up while an operation runs', async () => {
  const disk = new Disk()
  await using gateway = await startWithBattery({ wrapDispatchStore: disk.wrap })
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  disk.isFull = true
  const reply = await stop(gateway)
  assert.deepEqual([reply.status, reply.body.code], [503, 'dispatch_store_unavailable'], reply.text)
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
  const { state, fault_code: code } = await dispatchOf(gateway)
  assert.deepEqual([state, code], ['fault', 'dispatch_store_unavailable'])
  assert.equal((await readinessOf(gateway)).status, 503)
  disk.isFull = false
  await reaches(gateway, 'idle')
  await gateway.isReady()
})
