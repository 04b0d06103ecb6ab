import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createMovedClock, startService } from './in-process.ts'

test('DNS filtering options of a peer are set, stored and validated', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  const made = await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
  const { id, use_adblocker, blocklist_ids, dns_logging_enabled } = made.body.data
  assert.deepEqual([use_adblocker, blocklist_ids, dns_logging_enabled], [true, null, true])
  const lists = (await service.call('GET', '/api/dns/blocklists')).body.data
  const wanted = { use_adblocker: false, blocklist_ids: [lists[0].id], dns_logging_enabled: false }
  assert.equal((await service.call('PUT', `/api/peers/${id}`, wanted)).status, 200)
  const { data } = (await service.call('GET', `/api/peers/${id}`)).body
  assert.deepEqual(
    { ...wanted },
    {
      use_adblocker: data.use_adblocker,
      blocklist_ids: data.blocklist_ids,
      dns_logging_enabled: data.dns_logging_enabled,
    },
  )
  const refused = await service.call('PUT', `/api/peers/${id}`, { blocklist_ids: [lists[0].id, 'nowhere'] })
  assert.equal(refused.status, 422)
  assert.equal(refused.body.details.fields[0].path, 'blocklist_ids.1')
  assert.equal((await service.call('PUT', `/api/peers/${id}`, { blocklist_ids: [] })).body.data.blocklist_ids.length, 0)
})

test('rules: duplicates are refused, opposites replaced, and deleted with their peer', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  const peer = (await service.call('POST', '/api/peers', { name: 'Phone', interface: 'wg0' })).body.data
  const rule = (body: object) => service.call('POST', '/api/dns/rules', body)
  const first = await rule({ action: 'block', domain: 'Ads.Example.' })
  assert.deepEqual([first.status, first.body.data.domain, first.body.data.client], [201, 'ads.example', null])
  assert.equal((await rule({ action: 'block', domain: 'ads.example' })).status, 409)
  const opposite = await rule({ action: 'allow', domain: 'ads.example' })
  assert.match(opposite.body.message, /opposite rule is gone/)
  assert.equal(opposite.body.data.id, first.body.data.id)
  const own = await rule({ action: 'block', domain: '*.bücher.example', client: 'phone' })
  assert.deepEqual([own.body.data.domain, own.body.data.client_id], ['*.xn--bcher-kva.example', peer.id])
  await service.call('PUT', `/api/peers/${peer.id}`, { name: 'Tablet' })
  const listed = (await service.call('GET', '/api/dns/rules?client=tablet')).body
  assert.deepEqual([listed.total, listed.data[0].client], [1, 'Tablet'])
  for (const wrong of [{ domain: 'no spaces.example' }, { domain: 'http://a.example' }, { client: 'nobody' }]) {
    const reply = await rule({ action: 'block', domain: 'fine.example', ...wrong })
    assert.deepEqual([reply.status, reply.body.details.fields[0].path], [422, Object.keys(wrong)[0]])
  }
  await service.call('DELETE', `/api/peers/${peer.id}`)
  assert.equal((await service.call('GET', '/api/dns/rules')).body.total, 1)
  const preview = await service.call('POST', '/api/dns/rules/preview', { action: 'block', domain: 'ads.example' })
  assert.deepEqual(preview.body.data, { changed: 0, matching: 0, clients: [] })
})

test('settings: each wrong one is named, texts are normalised, and a pause ends', async () => {
  await using service = await startService()
  const set = (body: object) => service.call('PUT', '/api/dns/settings', body)
  for (const [body, path] of [
    [{ upstreams: ['udp://1.1.1.1', 'tls://dns.example'] }, 'upstreams.1'],
    [{ private_answers_allowed: ['fine.example', 'not fine'] }, 'private_answers_allowed.1'],
    [{ block_mode: 'custom_ip' }, 'custom_ipv4'],
    [{ block_ttl: -1 }, 'block_ttl'],
    [{ dns64_prefix: '64:ff9b::/64' }, 'dns64_prefix'],
    [{ dns64_prefix: '64:ff9b::1/96' }, 'dns64_prefix'],
    [{ dns64_prefix: '10.0.0.0/8' }, 'dns64_prefix'],
  ] as const) {
    const reply = await set(body)
    assert.deepEqual([reply.status, reply.body.details.fields[0].path], [422, path])
  }
  const { data } = (await set({ private_answers_allowed: ['Home.Example.'], block_ttl: 60 })).body
  assert.deepEqual([data.private_answers_allowed, data.block_ttl], [['home.example'], 60])
  const prefix = (await set({ dns64_prefix: '64:FF9B::/96' })).body.data.dns64_prefix
  assert.equal(prefix, '64:ff9b::/96')
  assert.deepEqual(data.effective_upstreams, ['udp://127.0.0.1:9'])
  const paused = await service.call('POST', '/api/dns/pause', { seconds: 600 })
  assert.ok(Date.parse(paused.body.data.paused_until) > Date.now() + 500_000)
  await service.call('POST', '/api/dns/resume')
  assert.equal((await service.call('GET', '/api/dns/settings')).body.data.blocking_paused_until, null)
})

test('peers that expire are not answered any more, also when the device of one cannot be changed', async () => {
  const clock = createMovedClock()
  await using service = await startService({}, undefined, clock)
  await service.call('PUT', '/api/settings', { sample_interval_seconds: 1 })
  for (const index of [0, 1]) {
    const port = { listen_port: 51_820 + index }
    await service.call('POST', '/api/interfaces', { name: `wg${index}`, address: `10.${8 + index}.0.1/24`, ...port })
    for (const expires_at of [new Date(clock.now() + 3_600_000).toISOString(), null]) {
      const name = `${expires_at === null ? 'phone' : 'guest'} ${index}`
      const made = await service.call('POST', '/api/peers', { name, interface: `wg${index}`, expires_at })
      assert.equal(made.status, 201, made.text)
    }
  }
  const clients = async () => {
    const text = await readFile(join(service.folder, 'dns/clients.json'), 'utf8')
    return (JSON.parse(text) as { name: string }[]).map(({ name }) => name).toSorted()
  }
  await eventually(clients, (names) => names.length === 4)
  const { tunnels } = service.service.app
  const reconcile = tunnels.reconcile.bind(tunnels)
  tunnels.reconcile = (name) => (name === 'wg0' ? Promise.reject(new Error('no buffer space')) : reconcile(name))
  clock.advance(3_600_001)
  const left = await eventually(clients, (names) => names.length === 2)
  assert.deepEqual(left, ['phone 0', 'phone 1'])
  await eventually(
    async () => (await tunnels.read('wg1'))?.peers.size,
    (size) => size === 1,
  )
})
