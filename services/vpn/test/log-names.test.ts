import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNamesPlace, untilLogged } from './names-place.ts'

test('the log names the list that blocked a name, also when it is switched off later', async () => {
  await using place = await startNamesPlace()
  const url = place.listUrl('/trackers')
  const { id } = await place.call('POST', '/api/dns/blocklists', { name: 'Trackers', url })
  await place.call('POST', '/api/dns/blocklists/update')
  await place.look('ads.shop.example')
  await untilLogged(place, 1)
  await place.call('PUT', `/api/dns/blocklists/${id}`, { enabled: false })
  const [entry] = await place.call('GET', '/api/dns/queries?status=blocked')
  assert.deepEqual([entry.domain, entry.list, entry.list_id], ['ads.shop.example', 'Trackers', id])
})
