import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onlyOne, concurrentStatuses } from '@hearth/testing'
import { startGateway } from './in-process.ts'

test('of eight concurrent requests that add the same device one succeeds and seven get a conflict', async () => {
  await using gateway = await startGateway({ device: null })
  const browser = await gateway.signIn()
  const add = (device: object) => browser.send('POST', '/admin/api/devices', { body: device })
  const ofOneId = await concurrentStatuses((index) => add({ device_id: 'roof', host: `127.0.0.${index + 1}`, port: 1 }))
  assert.deepEqual(ofOneId, onlyOne(201))
  const { devices } = (await browser.send('GET', '/admin/api/devices')).body
  assert.equal(devices.length, 1)
})
