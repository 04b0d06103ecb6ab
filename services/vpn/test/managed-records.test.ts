import assert from 'node:assert/strict'
import { test } from 'node:test'
import { T } from './dns-messages.ts'
import { startAnsweringService } from './answering-service.ts'

const path = '/api/dns/managed-records/sites-1'

/** A service that answers on a port of loopback; outside, the names have another address. */
async function start() {
  const outside = { a: '203.0.113.9', aaaa: '2001:db8::9' }
  const answering = await startAnsweringService({ 'wiki.example': outside, 'x.lab.example': outside })
  const { service } = answering
  return {
    ...answering,
    change: (body: object, manager = 'sites-1') =>
      service.call('POST', `/api/dns/managed-records/${manager}`, body).then((reply) => reply.body),
    list: async () => (await service.call('GET', path)).body.data.records as { name: string; overridden: boolean }[],
    ask: async (...query: Parameters<typeof answering.ask>) =>
      (await answering.ask(...query)).answers.map(({ data }) => data),
  }
}

const inside = { type: 'A', value: '10.8.0.1' }
const wiki = { name: 'wiki.example', ...inside }

test('records that a service keeps answer at once, in place of the addresses outside, and go again', async () => {
  await using it = await start()
  assert.deepEqual(await it.ask('wiki.example'), ['cb007109'])
  const made = await it.change({ put: [wiki, { name: '*.Lab.example', ...inside, ttl: 30 }] })
  assert.deepEqual(made.data, { put: 2, removed: 0, refused: [], overridden: [] })
  assert.deepEqual(await it.ask('wiki.example'), ['0a080001'])
  assert.deepEqual(await it.ask('wiki.example', T.aaaa), [], 'no device goes outside over the other family')
  assert.deepEqual(await it.ask('x.lab.example'), ['0a080001'])
  assert.deepEqual((await it.change({ put: [wiki] })).data, { put: 1, removed: 0, refused: [], overridden: [] })
  const moved = { ...wiki, value: '10.8.0.2' }
  assert.deepEqual((await it.change({ put: [moved], remove: [wiki] })).data, {
    put: 1,
    removed: 1,
    refused: [],
    overridden: [],
  })
  assert.deepEqual(await it.ask('wiki.example'), ['0a080002'])
  assert.equal((await it.service.call('DELETE', path)).body.data.removed, 2)
  assert.deepEqual([await it.ask('wiki.example'), await it.list()], [['cb007109'], []])
})

test('what an operator says of a name counts, and is never touched', async () => {
  await using it = await start()
  await it.change({ put: [wiki, { name: 'txt.example', ...inside }] })
  const own = { name: 'wiki.example', type: 'A', value: '192.168.1.5' }
  const { id } = (await it.service.call('POST', '/api/dns/records', own)).body.data
  await it.service.call('POST', '/api/dns/records', { name: 'txt.example', type: 'TXT', value: 'v=1' })
  assert.deepEqual([await it.ask('wiki.example'), await it.ask('txt.example')], [['c0a80105'], ['0a080001']])
  const shown = async () => Object.fromEntries((await it.list()).map(({ name, overridden }) => [name, overridden]))
  assert.deepEqual(await shown(), { 'wiki.example': true, 'txt.example': false })
  assert.deepEqual((await it.change({ put: [wiki] })).data.overridden, ['wiki.example'])
  assert.equal((await it.change({ remove: [own] })).data.removed, 0)
  assert.equal((await it.service.call('GET', '/api/dns/records')).body.total, 2)
  await it.service.call('DELETE', `/api/dns/records/${id}`)
  assert.deepEqual([await it.ask('wiki.example'), (await shown())['wiki.example']], [['0a080001'], false])
})

test('the records of all services are listed and found, by signed-in users', async () => {
  await using it = await start()
  await it.change({ put: [wiki, { name: '*.lab.example', ...inside }] })
  await it.change({ put: [{ name: 'cam.example', ...inside, value: '10.8.0.9' }] }, 'cameras')
  const found = async (query: string) => {
    const { body } = await it.service.call('GET', `/api/dns/managed-records?${query}`)
    return [
      body.total,
      ...body.data.map(({ name, manager }: { name: string; manager: string }) => `${name} ${manager}`),
    ]
  }
  assert.deepEqual(await found(''), [3, 'cam.example cameras', '*.lab.example sites-1', 'wiki.example sites-1'])
  assert.deepEqual(await found('limit=1&offset=2'), [3, 'wiki.example sites-1'])
  for (const [search, name] of [
    ['CAM', 'cam.example cameras'],
    ['*.lab', '*.lab.example sites-1'],
    ['10.8.0.9', 'cam.example cameras'],
    ['%', undefined],
  ] as const)
    assert.deepEqual(await found(`search=${encodeURIComponent(search)}`), name === undefined ? [0] : [1, name])
})

test('services do not reach each other, and what cannot be is named while the rest is done', async () => {
  await using it = await start()
  await it.change({ put: [wiki] }, 'sites-2')
  const { data } = await it.change({
    put: [wiki, { name: 'no name', ...inside }, { name: 'good.example', type: 'AAAA', value: 'fd00:0::1' }],
    remove: [wiki],
  })
  assert.deepEqual(
    data.refused.map(({ message }: { message: string }) => message.slice(0, 34)),
    ['wiki.example is kept by sites-2', 'name must be a domain name such as'],
  )
  assert.deepEqual([data.put, data.removed], [1, 0])
  assert.deepEqual(await it.list(), [
    { name: 'good.example', type: 'AAAA', value: 'fd00::1', ttl: 60, overridden: false },
  ])
})

test('the bounds hold: names of services, records of one change, and of all', async () => {
  await using it = await start()
  assert.equal((await it.service.call('GET', '/api/dns/managed-records/Up%20per')).status, 400)
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `n${from + n}.example`, ...inside }))
  assert.equal((await it.service.call('POST', path, { put: names(0, 1001) })).status, 422)
  for (let at = 0; at < 10_000; at += 1000) await it.change({ put: names(at, 1000) })
  const { data } = await it.change({ put: names(9999, 2) })
  assert.deepEqual([data.put, data.refused.length], [1, 1])
  assert.equal((await it.change({ put: names(10_000, 1), remove: names(0, 1) })).data.put, 1)
  assert.equal((await it.list()).length, 10_000)
})

test('a change needs an administrator and a token that may write', async () => {
  await using it = await start()
  const admin = await it.service.signIn('admin', 'tall-giraffe-on-ice-7')
  const token = await it.service.token(admin, 'read-only')
  assert.equal((await it.service.send('GET', path, { token })).status, 200)
  assert.equal((await it.service.send('POST', path, { token, body: {} })).status, 403)
  assert.deepEqual((await it.change({})).data, { put: 0, removed: 0, refused: [], overridden: [] })
})
