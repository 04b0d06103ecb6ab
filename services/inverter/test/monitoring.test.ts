import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from 'node:path'
import { eventually, promtoolObstacle, promtoolProblems, temporaryDirectory, testMonitoring } from '@hearth/testing'
import { startGateway } from './in-process.ts'
import { configureMqtt, publishing } from './mqtt-fixture.ts'

/** A scrape with every value that the scraper page lists from the start, and a backup. */
async function scrape(): Promise<string> {
  await using elsewhere = await temporaryDirectory()
  await using gateway = await startGateway({ environment: { BACKUP_DIR: join(elsewhere.path, 'backups') } })
  await gateway.call('GET', '/api/v1/devices/main/metrics')
  // Values are shown as soon as the device has sent them.
  const { text } = await eventually(
    () => gateway.call('GET', '/metrics'),
    (reply) =>
      reply.text.includes('\nvendor_battery_soc_ratio{') && reply.text.includes('\nvendor_backup_last_attempt_failed '),
  )
  return text
}

testMonitoring('inverter', async () =>
  Array.from((await scrape()).matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name),
)

test(
  'promtool accepts the metrics, except for names that come from the inverter',
  { skip: promtoolObstacle() },
  async () => {
    const found = await promtoolProblems(['check', 'metrics'], await scrape())
    const names = found.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')[0]]))
    assert.deepEqual(
      new Set(names),
      new Set(['vendor_power_mng_bat_calib_reqularity_days', 'vendor_solar_b_power_watts']),
    )
  },
)

test('the figures of MQTT are there, and the connection is absent while MQTT is off', async () => {
  await using gateway = await startGateway({ device: null })
  const figures = async () => (await gateway.call('GET', '/metrics')).text
  const before = await figures()
  assert.match(before, /^vendor_mqtt_messages_published_total 0$/m)
  assert.doesNotMatch(before, /^vendor_mqtt_connected /m)
  await configureMqtt(gateway, publishing({ url: 'mqtt://127.0.0.1:1' }))
  assert.match(await figures(), /^vendor_mqtt_connected 0$/m)
})
