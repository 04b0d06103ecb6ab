import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from './in-process.ts'

test('a UUID in capitals is the same UUID, wherever one is expected', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  const peer = (await service.call('POST', '/api/peers', { name: 'Phone', interface: 'wg0' })).body.data
  const id = peer.id.toUpperCase()
  for (const path of [`/api/peers/${id}`, `/api/peers/${id}/config`, `/api/metrics/peers/${id}`]) {
    assert.equal((await service.call('GET', path)).status, 200, path)
  }
  const lists = (await service.call('GET', '/api/dns/blocklists')).body.data
  const changed = await service.call('PUT', `/api/peers/${id}`, { blocklist_ids: [lists[0].id.toUpperCase()] })
  assert.deepEqual([changed.status, changed.body.data?.blocklist_ids], [200, [lists[0].id]])
  const listed = await service.call('PUT', `/api/dns/blocklists/${lists[0].id.toUpperCase()}`, { name: 'Other' })
  assert.equal(listed.status, 200, listed.text)
  const rule = await service.call('POST', '/api/dns/rules', { action: 'block', domain: 'a.example', client: id })
  assert.deepEqual([rule.status, rule.body.data?.client_id], [201, peer.id])
  const ruleId = rule.body.data.id.toUpperCase()
  assert.equal((await service.call('DELETE', `/api/dns/rules/${ruleId}`)).status, 200)
  const { id: user } = await service.addUser('somebody', 'user')
  assert.equal((await service.call('GET', `/api/users/${user.toUpperCase()}`)).status, 200)
  assert.equal((await service.call('DELETE', `/api/peers/${id}`)).body.data.id, peer.id)
})
