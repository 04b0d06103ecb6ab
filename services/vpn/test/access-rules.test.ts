import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService, type Reply, type TestService } from './in-process.ts'

describe('groups of peers and access rules', () => {
  let service: TestService
  const ids: Record<string, string> = {}
  before(async () => {
    service = await startService()
    await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64' })
    for (const [name, body] of Object.entries({
      phone: {},
      printer: { tags: ['Office'] },
      tv: { client_isolation: true },
      cabin: { networks: ['192.168.77.0/24'] },
    })) {
      const { body: created } = await service.call('POST', '/api/peers', { name, interface: 'wg0', ...body })
      ids[name] = created.data.id
    }
  })
  after(() => service[Symbol.asyncDispose]())

  const call = (method: string, path: string, body?: unknown) => service.call(method, `/api/access/${path}`, body)
  const done = async (method: string, path: string, body?: unknown) => {
    const reply = await call(method, path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body.data
  }
  const peer = (name: string) => ({ kind: 'peer', id: ids[name] })
  const explain = async (from: string, to: string, more = 'protocol=tcp&port=80') =>
    done('GET', `explain?from=${from}&to=${to}&${more}`)
  const clear = async () => {
    for (const { id } of await done('GET', 'rules')) await done('DELETE', `rules/${id}`)
    for (const { id } of await done('GET', 'groups')) await done('DELETE', `groups/${id}`)
  }
  const wrong = (reply: Reply) => [reply.status, reply.body.details?.fields?.[0]?.path]

  test('a group holds peers by hand and by tag, and is found by its peers', async () => {
    const group = await done('POST', 'groups', { name: 'Printers', tags: ['office'], peer_ids: [ids['phone']] })
    assert.equal(group.member_count, 2)
    assert.deepEqual(group.peers, [{ id: ids['phone'], name: 'phone' }])
    const of = async (name: string) =>
      (await done('GET', `groups?peer=${ids[name]}`)).map((each: { name: string }) => each.name)
    assert.deepEqual([await of('phone'), await of('printer'), await of('tv')], [['Printers'], ['Printers'], []])
    await service.call('PUT', `/api/peers/${ids['printer']}`, { tags: [] })
    assert.deepEqual(await of('printer'), [])
    await service.call('POST', '/api/peers/bulk', { action: 'add_tag', tag: 'OFFICE', ids: [ids['printer']] })
    assert.deepEqual(await of('printer'), ['Printers'])
    const changed = await done('PUT', `groups/${group.id}`, { name: 'Paper', color: 'red', tags: [], peer_ids: [] })
    assert.deepEqual([changed.name, changed.color, changed.member_count], ['Paper', 'red', 0])

    assert.equal((await call('POST', 'groups', { name: 'PAPER' })).status, 409)
    assert.deepEqual(wrong(await call('POST', 'groups', { name: 'X', peer_ids: ['nobody'] })), [422, 'peer_ids.0'])
    const rule = await done('POST', 'rules', { from: { kind: 'group', id: group.id }, to: peer('tv'), action: 'deny' })
    const refused = await call('DELETE', `groups/${group.id}`)
    assert.deepEqual([refused.status, refused.body.details.rules], [409, [rule.id]])
    await clear()
  })

  test('rules have an order, which a position changes', async () => {
    const everybody = { kind: 'everybody' }
    for (const note of ['a', 'b', 'c'])
      await done('POST', 'rules', { from: everybody, to: { kind: 'internet' }, action: 'allow', note })
    const order = async () => (await done('GET', 'rules')).map((rule: { note: string }) => rule.note).join('')
    const [a, , c] = await done('GET', 'rules')
    await done('PUT', `rules/${c.id}`, { position: 1 })
    assert.equal(await order(), 'cab')
    await done('PUT', `rules/${a.id}`, { position: 900 })
    assert.equal(await order(), 'cba')
    await done('POST', 'rules', { from: everybody, to: everybody, action: 'deny', note: 'd', position: 2 })
    assert.equal(await order(), 'cdba')
    await done('DELETE', `rules/${c.id}`)
    const rules = await done('GET', 'rules')
    assert.deepEqual(
      rules.map((rule: { position: number }) => rule.position),
      [1, 2, 3],
    )
    await clear()
  })

  test('a wrong member is named', async () => {
    const rule = { from: { kind: 'everybody' }, to: { kind: 'everybody' }, action: 'deny' }
    const reply = async (more: object) => wrong(await call('POST', 'rules', { ...rule, ...more }))
    const network = (text: string) => ({ to: { kind: 'network', network: text } })
    assert.deepEqual(await reply({ from: { kind: 'group', id: 'x' } }), [422, 'from.id'])
    assert.deepEqual(await reply({ to: { kind: 'peer', id: 'x' } }), [422, 'to.id'])
    for (const text of ['192.168.1.7/24', 'fd00::1/64', '10.0.0.0/33', 'example.org', '1.2.3.4; drop', 'fe80::1%eth0'])
      assert.deepEqual(await reply(network(text)), [422, 'to.network'], text)
    assert.deepEqual(await reply({ ports: ['80'] }), [422, 'ports'])
    for (const port of ['0', '70000', '90-80'])
      assert.deepEqual(await reply({ protocol: 'tcp', ports: [port] }), [422, 'ports.0'], port)
    assert.equal((await call('PUT', 'defaults/wg9', { action: 'deny' })).status, 404)
    assert.deepEqual(await done('GET', 'rules'), [])
    const { to } = await done('POST', 'rules', { ...rule, ...network('FD00:0::/64') })
    assert.equal(to.network, 'fd00::/64')
    await clear()
  })

  test('explain says what decides, and why', async () => {
    assert.deepEqual(
      [(await explain('phone', 'printer')).action, (await explain('phone', 'printer')).because],
      ['allow', 'default'],
    )
    assert.equal((await explain('phone', 'tv')).because, 'isolation')
    const deny = await done('POST', 'rules', { from: peer('phone'), to: peer('printer'), action: 'deny' })
    await done('POST', 'rules', {
      from: { kind: 'everybody' },
      to: { kind: 'everybody' },
      protocol: 'tcp',
      ports: ['631'],
      action: 'allow',
      position: 1,
    })
    const denied = await explain('phone', 'printer')
    assert.deepEqual(
      [denied.action, denied.because, denied.rule.id, denied.rule.position],
      ['deny', 'rule', deny.id, 2],
    )
    assert.equal(denied.message, 'phone cannot reach printer on TCP port 80: rule 2 decides.')
    assert.ok(
      denied.steps.some((step: string) => /Rule 1 .* is not about TCP port 80/.test(step)),
      denied.steps.join('\n'),
    )
    assert.equal((await explain('phone', 'printer', 'protocol=tcp&port=631')).action, 'allow')
    assert.equal((await explain('phone', 'printer', 'protocol=icmp')).action, 'deny')
    assert.equal((await explain('printer', 'phone')).action, 'allow')

    await done('PUT', 'defaults/wg0', { action: 'deny' })
    assert.deepEqual(await done('GET', 'defaults'), [{ interface: 'wg0', action: 'deny' }])
    const answers = await Promise.all([
      explain('phone', 'internet'),
      explain('phone', 'gateway'),
      explain('phone', '10.8.0.1', 'protocol=udp&port=53'),
      explain('tv', 'gateway'),
    ])
    assert.deepEqual(
      answers.map(({ action, because }) => `${action} ${because}`),
      ['deny default', 'allow default', 'allow always', 'deny isolation'],
    )
    assert.deepEqual(wrong(await call('GET', 'explain?from=phone&to=printer')), [422, 'port'])
    assert.deepEqual(wrong(await call('GET', 'explain?from=nobody&to=printer&port=80')), [422, 'from'])
    assert.deepEqual(wrong(await call('GET', 'explain?from=phone&to=nobody&port=80')), [422, 'to'])
    await done('PUT', 'defaults/wg0', { action: 'allow' })
    await clear()
  })

  test('explain knows hosts behind a peer, and peers that are not there', async () => {
    await done('POST', 'rules', { from: peer('phone'), to: peer('cabin'), action: 'deny' })
    const host = await explain('phone', '192.168.77.9')
    assert.deepEqual([host.action, host.because, host.to.name], ['deny', 'rule', 'cabin'])
    assert.match(host.steps[0], /192\.168\.77\.9 is behind cabin/)
    assert.equal((await explain('printer', '192.168.77.9')).action, 'allow')
    await clear()
    await service.call('PUT', `/api/peers/${ids['printer']}`, { enabled: false })
    const gone = await explain('phone', 'printer')
    assert.deepEqual([gone.action, gone.because], ['deny', 'disabled'])
    assert.match(gone.message, /phone cannot reach printer .*: one of them is disabled or has expired\./)
    await service.call('PUT', `/api/peers/${ids['printer']}`, { enabled: true })
    assert.equal((await explain('phone', 'printer')).action, 'allow')
  })

  test('rules go with the peer they name, and all of it survives a restart', async () => {
    const { body } = await service.call('POST', '/api/peers', { name: 'guest', interface: 'wg0' })
    const group = await done('POST', 'groups', { name: 'Guests', peer_ids: [body.data.id] })
    await done('POST', 'rules', { from: { kind: 'peer', id: body.data.id }, to: { kind: 'internet' }, action: 'deny' })
    await done('POST', 'rules', { from: { kind: 'group', id: group.id }, to: { kind: 'internet' }, action: 'deny' })
    await service.call('DELETE', `/api/peers/${body.data.id}`)
    assert.equal((await done('GET', 'rules')).length, 1)
    assert.equal((await done('GET', `groups/${group.id}`)).member_count, 0)
    await service.stop()
    await using again = await startService({}, service.folder)
    const token = { token: service.admin }
    const rules = await again.send('GET', '/api/access/rules', token)
    assert.deepEqual([rules.body.total, rules.body.data[0].from.name], [1, 'Guests'])
  })
})
