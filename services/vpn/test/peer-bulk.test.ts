import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from './in-process.ts'

async function startWithPeers(names: readonly string[]) {
  const service = await startService()
  for (const [index, name] of ['wg0', 'wg1'].entries()) {
    const made = await service.call('POST', '/api/interfaces', {
      name,
      address: `10.${8 + index}.0.1/16`,
      listen_port: 51_820 + index,
    })
    assert.equal(made.status, 201, made.text)
  }
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const made = await service.call('POST', '/api/peers', {
      name,
      interface: `wg${index % 2}`,
      client_isolation: index % 3 === 0,
    })
    assert.equal(made.status, 201, made.text)
    ids.push(made.body.data.id)
  }
  const bulk = (body: object) => service.call('POST', '/api/peers/bulk', body)
  return { service, ids, bulk, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

interface Seen {
  readonly name: string
  readonly enabled: boolean
  readonly tags: string[]
  readonly expires_at: string | null
}

async function read(service: TestService, query = ''): Promise<Seen[]> {
  const reply = await service.call('GET', `/api/peers?limit=100${query}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.peers
}

const keysOn = async (service: TestService, name: string) => (await service.service.app.tunnels.read(name))?.peers.size

test('many peers on several interfaces are disabled, enabled, tagged, given an end and deleted as one', async () => {
  await using world = await startWithPeers(['a', 'b', 'c', 'd', 'e', 'f'])
  const { service, ids, bulk } = world
  const some = ids.slice(0, 4)
  const disabled = await bulk({ action: 'disable', ids: [...some, some[0]] })
  assert.deepEqual([disabled.status, disabled.body.data.peers], [200, 4], disabled.text)
  assert.equal(disabled.body.message, '4 peers disabled')
  assert.deepEqual(
    (await read(service)).map(({ enabled }) => enabled),
    [false, false, false, false, true, true],
  )
  assert.deepEqual([await keysOn(service, 'wg0'), await keysOn(service, 'wg1')], [1, 1], 'off the devices')
  assert.equal((await bulk({ action: 'enable', ids: some })).status, 200)
  assert.deepEqual([await keysOn(service, 'wg0'), await keysOn(service, 'wg1')], [3, 3])

  await bulk({ action: 'add_tag', ids: some, tag: ' Kids ' })
  await bulk({ action: 'add_tag', ids, tag: 'kids' })
  await bulk({ action: 'remove_tag', ids: [ids[5]], tag: 'KIDS' })
  assert.deepEqual(
    (await read(service)).map(({ tags }) => tags.join()),
    ['Kids', 'Kids', 'Kids', 'Kids', 'kids', ''],
  )

  await bulk({ action: 'set_expiry', ids: some, expires_at: '2099-01-01T00:00:00Z' })
  assert.deepEqual(
    (await read(service)).map(({ expires_at: at }) => at?.slice(0, 4)),
    ['2099', '2099', '2099', '2099', undefined, undefined],
  )
  await bulk({ action: 'set_expiry', ids: some, expires_at: '2020-01-01T00:00:00Z' })
  assert.deepEqual([await keysOn(service, 'wg0'), await keysOn(service, 'wg1')], [1, 1], 'an end that is over')
  await bulk({ action: 'set_expiry', ids: some, expires_at: null })

  assert.equal((await bulk({ action: 'delete', ids: ids.slice(1) })).body.message, '5 peers deleted')
  assert.deepEqual(
    (await read(service)).map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual([await keysOn(service, 'wg0'), await keysOn(service, 'wg1')], [1, 0])
})

test('when one peer cannot be changed none is, and the answer names each of those', async () => {
  await using world = await startWithPeers(['a', 'b', 'c'])
  const { service, ids, bulk } = world
  const gone = '00000000-0000-7000-8000-000000000000'
  for (const action of ['disable', 'delete'] as const) {
    const reply = await bulk({ action, ids: [ids[0], gone, ids[1], 'not an id'] })
    assert.equal(reply.status, 422, reply.text)
    assert.deepEqual(
      reply.body.details.fields.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ['ids.1', 'unknown'],
        ['ids.3', 'unknown'],
      ],
    )
    assert.match(reply.body.message, /nothing was changed$/)
  }
  assert.deepEqual(
    (await read(service)).map(({ enabled }) => enabled),
    [true, true, true],
  )
  const full = Array.from({ length: 16 }, (_, index) => `tag ${index}`)
  await service.call('PUT', `/api/peers/${ids[1]}`, { tags: full })
  const reply = await bulk({ action: 'add_tag', ids, tag: 'one more' })
  assert.equal(reply.status, 422)
  assert.equal(reply.body.details.fields[0].path, 'ids.1')
  assert.deepEqual(reply.body.details.peers, [{ id: ids[1], name: 'b' }])
  assert.match(reply.body.message, /^The peer b would have more than 16 tags; nothing was changed$/)
  assert.deepEqual(
    (await read(service)).map(({ tags }) => tags.length),
    [0, 16, 0],
  )
  assert.equal((await bulk({ action: 'add_tag', ids: [ids[1]], tag: 'TAG 3' })).status, 200, 'one that it has')
})

test('bodies that are not a change of 1 to 1,000 peers are refused, naming the part', async () => {
  await using world = await startWithPeers(['a'])
  const { ids, bulk } = world
  const tooMany = Array.from({ length: 1001 }, () => ids[0])
  for (const [body, path] of [
    [{ action: 'disable', ids: [] }, 'ids'],
    [{ action: 'disable', ids: tooMany }, 'ids'],
    [{ action: 'disable', ids: 'a' }, 'ids'],
    [{ action: 'disable', ids: [7] }, 'ids.0'],
    [{ action: 'explode', ids }, 'action'],
    [{ ids }, 'action'],
    [{ action: 'add_tag', ids, tag: '' }, 'tag'],
    [{ action: 'add_tag', ids, tag: 'line\nbreak' }, 'tag'],
    [{ action: 'add_tag', ids, tag: 'right\u202eleft' }, 'tag'],
    [{ action: 'add_tag', ids, tag: 'x'.repeat(33) }, 'tag'],
    [{ action: 'set_expiry', ids, expires_at: 'tomorrow' }, 'expires_at'],
    [{ action: 'set_expiry', ids }, 'expires_at'],
  ] as const) {
    const reply = await bulk(body)
    assert.equal(reply.status, 422, JSON.stringify(body).slice(0, 100))
    assert.match(reply.body.details.fields[0].path, new RegExp(`^${path}`), reply.text)
  }
})

test('tags are set with a peer, found in any case and counted; what is not a tag is refused', async () => {
  await using world = await startWithPeers(['plain'])
  const { service, ids } = world
  const post = (name: string, tags: unknown) => service.call('POST', '/api/peers', { name, interface: 'wg0', tags })
  const made = await post('phone', ['Kids', ' a%b_c ', '<b>"x"\\y</b>'])
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.body.data.tags, ['<b>"x"\\y</b>', 'a%b_c', 'Kids'])
  assert.equal((await post('tablet', ['kids'])).status, 201)
  const named = async (tag: string) => (await read(service, `&tag=${encodeURIComponent(tag)}`)).map(({ name }) => name)
  assert.deepEqual(await named('KIDS'), ['phone', 'tablet'])
  assert.deepEqual(await named('a%b_c'), ['phone'])
  assert.deepEqual(await named('<B>"x"\\y</b>'), ['phone'])
  for (const other of ['kid', '%', 'a_b%c', 'id']) assert.deepEqual(await named(other), [], other)
  assert.deepEqual((await service.call('GET', '/api/peers/tags')).body.data, [
    { tag: '<b>"x"\\y</b>', peers: 1 },
    { tag: 'a%b_c', peers: 1 },
    { tag: 'Kids', peers: 2 },
  ])
  const put = (tags: unknown) => service.call('PUT', `/api/peers/${ids[0]}`, { tags })
  assert.deepEqual((await put(['Guests'])).body.data.tags, ['Guests'])
  assert.deepEqual((await put([])).body.data.tags, [])
  for (const tags of [['a', 'A'], ['a\u0000'], [''], ['x'.repeat(33)], 'a', [1], Array.from({ length: 17 }, String)]) {
    const reply = await put(tags)
    assert.equal(reply.status, 422, JSON.stringify(tags))
    assert.match(reply.body.details.fields[0].path, /^tags/)
  }
  assert.equal((await service.call('GET', `/api/peers?tag=${'x'.repeat(33)}`)).status, 400)
})
