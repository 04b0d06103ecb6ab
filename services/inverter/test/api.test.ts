import assert from 'node:assert/strict'
import { test } from 'node:test'
import { main, startGateway } from './in-process.ts'

test('API tokens see a device’s name, role and readiness, but not its address or limits', async () => {
  await using gateway = await startGateway()
  const { status, body } = await gateway.call('GET', '/api/v1/devices')
  assert.equal(status, 200)
  assert.deepEqual(
    body.map((device: object) => Object.keys(device).sort()),
    [['device_id', 'display_name', 'ready', 'role']],
  )
})

test('the first read of a value comes from the device, the next from the cache', async () => {
  await using gateway = await startGateway()
  const { inverter } = gateway
  const first = await gateway.call('GET', main('/metrics/battery_soc'))
  assert.equal(first.status, 200, first.text)
  assert.equal(first.body.value, Math.fround(Number(inverter.registers.get('battery_soc'))))
  assert.deepEqual(
    [first.body.source, first.body.stale, first.body.unit, first.body.freshness],
    ['device', false, 'ratio', null],
  )
  const second = await gateway.call('GET', main('/metrics/battery_soc'))
  assert.equal(second.body.source, 'cache')
  assert.ok(second.body.age_seconds >= 0)
  const fresh = await gateway.call('GET', main('/metrics?names=battery_soc,inverter_state&fresh=true'))
  assert.deepEqual(
    fresh.body.metrics.map(({ source, freshness }: Record<string, string>) => [source, freshness]),
    [
      ['device', 'observed'],
      ['device', 'observed'],
    ],
  )
  assert.deepEqual([fresh.body.metrics[1].enum_value, fresh.body.metrics[1].enum_label], [13, 'feed_in'])
})
