import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from './in-process.ts'

async function start() {
  const service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const { id } = (await service.call('POST', '/api/peers', { name: 'Phone', interface: 'wg0' })).body.data
  const path = `/api/peers/${id}/quota`
  const quota = async () => (await service.call('GET', `/api/peers/${id}`)).body.data.quota
  return { service, id, path, quota, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a quota is set, shown with its peer, changed, begun anew and removed', async () => {
  await using world = await start()
  const { service, id, path, quota } = world
  assert.equal(await quota(), null)
  const made = await service.call('PUT', path, { bytes: 50_000_000_000 })
  assert.deepEqual([made.status, made.body.message], [200, 'Quota of Phone set'], made.text)
  const { since, until, ...plain } = await quota()
  assert.deepEqual(plain, {
    bytes: 50_000_000_000,
    counts: 'both',
    period: 'month',
    start_day: 1,
    at_limit: 'notify',
    slow_to: null,
    used: 0,
    state: 'within',
  })
  assert.ok(Date.parse(until) > Date.parse(since))
  await service.call('PUT', path, { bytes: 1_000_000, at_limit: 'slow', slow_to: 0.5, period: 'rolling' })
  assert.deepEqual([(await quota()).slow_to, (await quota()).period], [0.5, 'rolling'])
  assert.equal((await service.call('GET', '/api/peers')).body.data.peers[0].quota.bytes, 1_000_000)
  assert.equal((await service.call('POST', `${path}/reset`)).status, 200)
  const removed = await service.call('DELETE', path)
  assert.deepEqual([removed.status, removed.body.data, await quota()], [200, null, null])
  assert.equal((await service.call('POST', `${path}/reset`)).status, 404)
  await service.call('PUT', path, { bytes: 2_000_000 })
  assert.equal((await service.call('DELETE', `/api/peers/${id}`)).status, 200)
  assert.equal((await service.call('PUT', path, { bytes: 2_000_000 })).status, 404)
})

test('a quota that cannot be is refused, and the error names the member', async () => {
  await using world = await start()
  const { service, path, quota } = world
  const refused: [object, string][] = [
    [{}, 'bytes'],
    ...[0, -1, 999_999, 1.5e6 + 0.5, 1e18, '50', null].map((bytes): [object, string] => [{ bytes }, 'bytes']),
    ...[0, 32, 1.5, '1'].map((day): [object, string] => [{ bytes: 1e9, start_day: day }, 'start_day']),
    [{ bytes: 1e9, period: 'week' }, 'period'],
    [{ bytes: 1e9, counts: 'up' }, 'counts'],
    [{ bytes: 1e9, at_limit: 'delete' }, 'at_limit'],
    [{ bytes: 1e9, at_limit: 'slow' }, 'slow_to'],
    [{ bytes: 1e9, at_limit: 'slow', slow_to: 0 }, 'slow_to'],
  ]
  for (const [body, member] of refused) {
    const reply = await service.call('PUT', path, body)
    assert.equal(reply.status, 422, `${JSON.stringify(body)}: ${reply.text}`)
    assert.equal(reply.body.details.fields[0].path, member, reply.text)
  }
  assert.equal((await service.call('PUT', path, { bytes: 1e9, used: 5 })).status, 422)
  assert.equal(await quota(), null)
})
