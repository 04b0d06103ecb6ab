import assert from 'node:assert/strict'
import { test } from 'node:test'
import { impossibleTimes } from '@hearth/testing'
import { startService } from './in-process.ts'

test('an impossible date is refused in every field', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const peer = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
  for (const text of impossibleTimes) {
    const inQuery = encodeURIComponent(text)
    const answers = await Promise.all([
      service.call('POST', '/api/peers', { name: 'other', interface: 'wg0', expires_at: text }),
      service.call('PUT', `/api/peers/${peer.id}`, { expires_at: text }),
      service.call('GET', `/api/metrics/traffic?start=${inQuery}`),
      service.call('GET', `/api/metrics/traffic?end=${inQuery}`),
      service.call('GET', `/api/metrics/peers/${peer.id}?start=${inQuery}`),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 422, 400, 400, 400],
      `${text}: ${answers.map((answer) => answer.text).join()}`,
    )
  }
})
