import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from './in-process.ts'

async function start() {
  const service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/16', listen_port: 51_820 })
  const read = async (id: string) => {
    const { limit_down: down, limit_up: up } = (await service.call('GET', `/api/peers/${id}`)).body.data
    return [down, up]
  }
  return { service, read, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('a peer has no limit unless it gets one, and each direction is set and lifted alone', async () => {
  await using world = await start()
  const { service, read } = world
  const plain = await service.call('POST', '/api/peers', { name: 'plain', interface: 'wg0' })
  assert.deepEqual(await read(plain.body.data.id), [null, null])
  const made = await service.call('POST', '/api/peers', { name: 'tv', interface: 'wg0', limit_down: 0.1 })
  assert.equal(made.status, 201, made.text)
  const { id } = made.body.data
  assert.deepEqual(await read(id), [0.1, null])
  const change = (body: object) => service.call('PUT', `/api/peers/${id}`, body)
  await change({ limit_up: 10_000 })
  assert.deepEqual(await read(id), [0.1, 10_000])
  await change({ limit_down: 2.125 })
  await change({ name: 'television' })
  assert.deepEqual(await read(id), [2.125, 10_000])
  await change({ limit_down: null, limit_up: null })
  assert.deepEqual(await read(id), [null, null])
})

test('a limit that cannot be is refused, and the error names it', async () => {
  await using world = await start()
  const { service } = world
  const id = (await service.call('POST', '/api/peers', { name: 'tv', interface: 'wg0' })).body.data.id
  for (const value of [0, -1, 0.09, 10_000.1, 1e9, 1.2345, '5', true, [5], { mbit: 5 }, '5; flush ruleset'])
    for (const member of ['limit_down', 'limit_up']) {
      const replies = [
        await service.call('PUT', `/api/peers/${id}`, { [member]: value }),
        await service.call('POST', '/api/peers', { name: 'other', interface: 'wg0', [member]: value }),
        await service.call('POST', '/api/peers/bulk', { action: 'set_limit', ids: [id], [member]: value }),
      ]
      for (const reply of replies) {
        assert.equal(reply.status, 422, `${JSON.stringify(value)}: ${reply.text}`)
        assert.equal(reply.body.details.fields[0].path, member)
      }
    }
  const nothing = await service.call('POST', '/api/peers/bulk', { action: 'set_limit', ids: [id] })
  assert.equal(nothing.status, 422, nothing.text)
})

test('many peers get a limit at once, and a file has columns for it', async () => {
  await using world = await start()
  const { service, read } = world
  const csv = 'name,limit_down,limit_up\na,20,\nb,,0.5\nc,fast,\n'
  const load = (text: string, more = {}) =>
    service.call('POST', '/api/peers/import', { csv: text, interface: 'wg0', ...more })
  const trial = await load(csv, { dry_run: true })
  assert.equal(trial.body.data.peers[2].problems[0].column, 'limit_down', trial.text)
  const made = await load(csv.replace('fast', '3'))
  const ids: string[] = made.body.data.peers.map((peer: { id: string }) => peer.id)
  const all = () => Promise.all(ids.map(read))
  assert.deepEqual(await all(), [
    [20, null],
    [null, 0.5],
    [3, null],
  ])
  const limit = (body: object) => service.call('POST', '/api/peers/bulk', { action: 'set_limit', ids, ...body })
  assert.equal((await limit({ limit_down: 5 })).status, 200)
  assert.deepEqual(await all(), [
    [5, null],
    [5, 0.5],
    [5, null],
  ])
  await limit({ limit_down: null, limit_up: 1 })
  assert.deepEqual(await all(), [
    [null, 1],
    [null, 1],
    [null, 1],
  ])
})
