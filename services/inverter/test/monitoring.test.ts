import { eventually, testMonitoring } from '@hearth/testing'
import { startGateway } from './in-process.ts'

testMonitoring('inverter', async () => {
  await using gateway = await startGateway()
  await gateway.call('GET', '/api/v1/devices/main/metrics')
  // Values are shown as soon as the device has sent them.
  const { text } = await eventually(
    () => gateway.call('GET', '/metrics'),
    (reply) => reply.text.includes('\nvendor_battery_soc_ratio{'),
  )
  return Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name)
})
