import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { askMany, createDnsWorld, dig, updateLists, type DnsWorld } from './dns-world.ts'
import { addressOf } from './fake-nameserver.ts'
import { tunnelsObstacle } from './network-hosts.ts'
import type { Device } from './tunnel-world.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false

const fine = (name: string) => ['NOERROR', `A ${addressOf(name)}`]
/** Nobody is there, or says nothing. */
const isUnanswered = ([what]: readonly string[]) => what === 'TIMEOUT' || what === 'NO ANSWER'
const blocked = ['NOERROR', 'A 0.0.0.0', 'EDE 15']

describe('DNS through the tunnel', () => {
  const hosts = new AsyncDisposableStack()
  let world: DnsWorld
  let phone: Device
  let laptop: Device
  const ask = (device: Device, ...words: string[]) => dig(device.host, world.resolver, ...words)
  /** The newest entry of the log about a name, once it has this status; entries come a moment after their answers. */
  const logged = (name: string, client: string, status: 'allowed' | 'blocked') =>
    eventually(
      async () => {
        const { body } = await world.service.call('GET', `/api/dns/queries?domain=${name}&client=${client}`)
        return body.data[0]
      },
      (entry) => entry?.status === status,
      { what: `the log of ${name}` },
    )
  /** Exchanges all lists again and again; how often. */
  const exchangeUntil = async (end: AbortSignal) => {
    let exchanges = 0
    for (; !end.aborted; exchanges++) await updateLists(world)
    return exchanges
  }
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(
      await createDnsWorld({
        zone: { 'shop.example': { cname: 'x.tracker.example' }, 'big.example': { large: 12 } },
        lists: { ads: '||ads.example^\n||tracker.example^\n@@||good.ads.example^\n' },
      }),
    )
    await world.addList('ads')
    phone = await world.connect('phone', { interface: world.tunnel, routing_mode: 'isolated' })
    laptop = await world.connect('laptop', { interface: world.tunnel, routing_mode: 'isolated' })
  })
  after(() => hosts.disposeAsync())

  test('a device’s file names this resolver, which answers over UDP, TCP and IPv6', { skip }, async () => {
    assert.deepEqual(await phone.client.resolvers(), [`nameserver ${world.resolver}`, 'nameserver fd74::1'])
    assert.deepEqual(await ask(phone, 'www.example'), fine('www.example'))
    assert.deepEqual(await ask(phone, 'www.example', '+tcp'), fine('www.example'))
    assert.deepEqual(await dig(phone.host, 'fd74::1', 'six.example'), fine('six.example'))
    const [status, ...texts] = await ask(phone, 'big.example', 'TXT')
    assert.deepEqual([status, texts.length], ['NOERROR', 12])
  })

  test('a listed name and its subdomains are blocked, except the list’s exception', { skip }, async () => {
    assert.deepEqual(await ask(phone, 'ads.example'), blocked)
    assert.deepEqual(await ask(phone, 'deep.ads.example', 'AAAA'), ['NOERROR', 'AAAA ::', 'EDE 15'])
    assert.deepEqual(await ask(phone, 'ads.example', 'HTTPS'), ['NOERROR', 'EDE 15'])
    assert.deepEqual(await ask(phone, 'good.ads.example'), fine('good.ads.example'))
    const { body } = await world.service.call('GET', `/api/peers/${phone.id}`)
    const entry = await logged('deep.ads.example', body.data.name, 'blocked')
    assert.deepEqual([entry.reason, entry.list, entry.type, entry.client_id], ['list', 'ads', 'AAAA', phone.id])
  })

  test('a rule for one device blocks only there, at once', { skip }, async () => {
    assert.deepEqual(await ask(phone, 'games.example'), fine('games.example'))
    const rule = await world.service.done('POST', '/api/dns/rules', {
      action: 'block',
      domain: 'games.example',
      client: phone.id,
    })
    assert.deepEqual(await ask(phone, 'games.example'), blocked)
    assert.deepEqual(await ask(laptop, 'games.example'), fine('games.example'))
    const entry = await logged('games.example', phone.id, 'blocked')
    assert.deepEqual([entry.reason, entry.rule], ['rule', 'games.example'])
    await logged('games.example', laptop.id, 'allowed')
    await world.service.done('DELETE', `/api/dns/rules/${rule.id}`)
    assert.deepEqual(await ask(phone, 'games.example'), fine('games.example'))
  })

  test('a rule for one device allows what a list blocks for the others', { skip }, async () => {
    await world.service.done('POST', '/api/dns/rules', {
      action: 'allow',
      domain: 'shop.ads.example',
      client: laptop.id,
    })
    assert.deepEqual(await ask(laptop, 'shop.ads.example'), fine('shop.ads.example'))
    assert.deepEqual(await ask(phone, 'shop.ads.example'), blocked)
    const entry = await logged('shop.ads.example', laptop.id, 'allowed')
    assert.deepEqual([entry.reason, entry.rule], ['rule', 'shop.ads.example'])
  })

  test('a tracker behind a first-party name is blocked, and the log names it', { skip }, async () => {
    assert.deepEqual(await ask(phone, 'shop.example'), blocked)
    const entry = await logged('shop.example', phone.id, 'blocked')
    assert.deepEqual([entry.reason, entry.cname, entry.list], ['list', true, 'ads'])
    const { body } = await world.service.call('GET', `/api/dns/explain?domain=shop.example&client=${phone.id}`)
    assert.deepEqual([body.data.status, body.data.reason, body.data.name], ['blocked', 'list', 'x.tracker.example'])
  })

  test('a device can have its own lists, filtering off, and a pause', { skip }, async () => {
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { blocklist_ids: [] })
    assert.deepEqual(await ask(laptop, 'ads.example'), fine('ads.example'))
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { blocklist_ids: null })
    assert.deepEqual(await ask(laptop, 'ads.example'), blocked)
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { use_adblocker: false })
    assert.deepEqual(await ask(laptop, 'ads.example'), fine('ads.example'))
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { use_adblocker: true })
    await world.service.done('POST', '/api/dns/pause', { seconds: 60 })
    assert.deepEqual(await ask(phone, 'ads.example'), fine('ads.example'))
    await world.service.done('POST', '/api/dns/resume')
    assert.deepEqual(await ask(phone, 'ads.example'), blocked)
  })

  test('only peers get answers', { skip }, async () => {
    assert.deepEqual(await dig(world.internet, '198.51.100.1', 'www.example'), ['NO ANSWER'])
    // Someone on the wire who sends to the tunnel's address, without a tunnel.
    await world.internet.run('ip', 'route', 'add', '10.74.0.1/32', 'via', '198.51.100.1')
    assert.ok(isUnanswered(await dig(world.internet, world.resolver, 'stranger.example')))
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { enabled: false })
    assert.ok(isUnanswered(await dig(laptop.host, world.resolver, 'stranger.example')))
    await world.service.done('PUT', `/api/peers/${laptop.id}`, { enabled: true })
    await ask(phone, 'afterwards.example')
    await logged('afterwards.example', phone.id, 'allowed')
    assert.equal((await world.service.call('GET', '/api/dns/queries?domain=stranger.example')).body.total, 0)
  })

  test(
    '5,000 queries during repeated list updates: none is lost, and every answer is right',
    { skip, timeout: 120_000 },
    async () => {
      await world.addList('turning')
      const end = new AbortController()
      const exchanging = exchangeUntil(end.signal)
      const asked = await askMany(phone, world.resolver, { count: 5000, rate: 700 })
      end.abort()
      const exchanges = await exchanging
      assert.deepEqual(asked, { sent: 5000, answered: 5000, blocked: 1000, wrong: 0 })
      assert.ok(exchanges >= 3, `${exchanges} exchanges`)
      await eventually(
        async () => {
          const path = `/api/dns/queries?domain=always.blocked.example&client=${phone.id}&limit=1`
          return (await world.service.call('GET', path)).body.total
        },
        (total) => total === 1000,
        { what: 'every query in the log' },
      )
    },
  )

  test('after kill -9 of the resolver names resolve again at once', { skip }, async () => {
    const { body } = await world.service.call('GET', '/api/dns/status')
    assert.equal(body.data.running, true)
    const pids = (await world.server.run('pgrep', '-P', String(world.service.pid()))).split('\n')
    for (const pid of pids.filter((each) => each !== '')) process.kill(Number(pid), 'SIGKILL')
    await eventually(
      () => ask(phone, 'ads.example', '+time=1'),
      (answer) => answer.join() === blocked.join(),
      { everyMs: 10 },
    )
    assert.deepEqual(await ask(phone, 'www.example'), fine('www.example'))
    assert.ok((await world.service.call('GET', '/api/dns/status')).body.data.restarts >= 1)
  })
})
