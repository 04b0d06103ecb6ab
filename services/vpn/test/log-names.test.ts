import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNamesFixture, untilLogged } from './names-fixture.ts'

test('the log names the list that blocked a name, even after it is disabled', async () => {
  await using fixture = await startNamesFixture()
  const url = fixture.listUrl('/trackers')
  const { id } = await fixture.call('POST', '/api/dns/blocklists', { name: 'Trackers', url })
  await fixture.call('POST', '/api/dns/blocklists/update')
  await fixture.look('ads.shop.example')
  await untilLogged(fixture, 1)
  await fixture.call('PUT', `/api/dns/blocklists/${id}`, { enabled: false })
  const [entry] = await fixture.call('GET', '/api/dns/queries?status=blocked')
  assert.deepEqual([entry.domain, entry.list, entry.list_id], ['ads.shop.example', 'Trackers', id])
})
