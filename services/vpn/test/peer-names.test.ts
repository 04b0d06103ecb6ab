import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, freePort } from '@hearth/testing'
import { exchangeAgain } from './dns-client.ts'
import { decodeMessage, T } from './dns-messages.ts'
import { makeQuery } from './dns-packets.ts'
import { startService } from './in-process.ts'

const ptr = 12

async function start() {
  await using cleanup = new AsyncDisposableStack()
  const port = await freePort()
  const service = cleanup.use(await startService({ DNS_LISTEN: `127.0.0.1:${port}` }))
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64' })
  await exchangeAgain(port, makeQuery('ready.test', T.a, 1232))
  const kept = cleanup.move()
  const ask = async (name: string, type: number = T.a) => {
    const { rcode, answers } = decodeMessage(await exchangeAgain(port, makeQuery(name, type, 1232)))
    return answers.length === 0 ? rcode : answers.map(({ data }) => data).join(' ')
  }
  return {
    service,
    ask,
    /** Peers reach the resolver shortly after the request that changed them is answered. */
    soon: (name: string, wanted: string | number, type: number = T.a) =>
      eventually(
        () => ask(name, type),
        (found) => found === wanted,
        { what: `${wanted} for ${name}` },
      ),
    add: async (name: string, ip: string) =>
      (await service.call('POST', '/api/peers', { name, ip, interface: 'wg0' })).body.data as { id: string },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

test('a peer has a name that follows it, and its addresses lead back to the name', async () => {
  await using it = await start()
  const phone = await it.add('Anna’s Phone', '10.8.0.7')
  await it.soon('annas-phone.vpn', '0a080007')
  assert.equal(await it.ask('7.0.8.10.in-addr.arpa', ptr), 'annas-phone.vpn')
  const { ipv6 } = (await it.service.call('GET', `/api/peers/${phone.id}`)).body.data
  assert.ok(typeof ipv6 === 'string')
  assert.match(String(await it.ask('ANNAS-phone.VPN', T.aaaa)), /^fd08/)
  assert.deepEqual([await it.ask('annas-phone.vpn', T.mx), await it.ask('vpn'), await it.ask('nobody.vpn')], [0, 0, 3])
  const named = await it.service.call('GET', `/api/dns/peer-names/${phone.id}`)
  assert.equal(named.body.data.name, 'annas-phone.vpn')

  await it.service.call('PUT', `/api/peers/${phone.id}`, { name: 'Phone', ip: '10.8.0.8' })
  await it.soon('phone.vpn', '0a080008')
  assert.deepEqual([await it.ask('annas-phone.vpn'), await it.ask('7.0.8.10.in-addr.arpa', ptr)], [3, 3])
  await it.service.call('PUT', `/api/peers/${phone.id}`, { enabled: false })
  await it.soon('phone.vpn', 3)
  await it.service.call('PUT', `/api/peers/${phone.id}`, { enabled: true })
  await it.soon('phone.vpn', '0a080008')
  await it.service.call('DELETE', `/api/peers/${phone.id}`)
  await it.soon('phone.vpn', 3)
})

test('twins get numbers and keep them; a local record and a blocking rule come first', async () => {
  await using it = await start()
  const first = await it.add('My phone', '10.8.0.11')
  await it.add('my-phone', '10.8.0.12')
  await it.add('my_phone', '10.8.0.13')
  await it.soon('my-phone-3.vpn', '0a08000d')
  assert.deepEqual([await it.ask('my-phone.vpn'), await it.ask('my-phone-2.vpn')], ['0a08000b', '0a08000c'])
  await it.service.call('DELETE', `/api/peers/${first.id}`)
  await it.soon('my-phone.vpn', 3)
  assert.equal(await it.ask('my-phone-2.vpn'), '0a08000c')
  await it.service.call('POST', '/api/dns/records', { name: 'my-phone-2.vpn', type: 'A', value: '192.168.1.5' })
  await it.service.call('POST', '/api/dns/records', { name: 'tv.home', type: 'CNAME', value: 'my-phone-3.vpn' })
  assert.equal(await it.ask('my-phone-2.vpn'), 'c0a80105')
  assert.equal(await it.ask('tv.home'), 'my-phone-3.vpn 0a08000d')
  const why = (await it.service.call('GET', '/api/dns/explain?domain=my-phone-3.vpn')).body.data
  assert.deepEqual([why.reason, why.decided_by], ['local', 'Names of peers: my-phone-3.vpn'])
  await it.service.call('POST', '/api/dns/rules', { action: 'block', domain: 'my-phone-3.vpn' })
  assert.equal(await it.ask('my-phone-3.vpn'), '00000000')
})

test('the domain of the names can be another or none', async () => {
  await using it = await start()
  const phone = await it.add('Phone', '10.8.0.7')
  await it.soon('phone.vpn', '0a080007')
  const set = (suffix: string | null) => it.service.call('PUT', '/api/dns/settings', { peer_names_suffix: suffix })
  const changed = await set('Peers.Home.Arpa.')
  assert.equal(changed.body.data.peer_names_suffix, 'peers.home.arpa')
  assert.deepEqual(
    [await it.ask('phone.peers.home.arpa'), await it.ask('7.0.8.10.in-addr.arpa', ptr), await it.ask('home.arpa')],
    ['0a080007', 'phone.peers.home.arpa', 0],
  )
  await set(null)
  assert.deepEqual([await it.ask('phone.peers.home.arpa'), await it.ask('7.0.8.10.in-addr.arpa', ptr)], [3, 3])
  assert.equal((await it.service.call('GET', `/api/dns/peer-names/${phone.id}`)).body.data.name, null)
  for (const wrong of ['no spaces', '10.8.0.1', 'x'.repeat(64), `${'abcdefg.'.repeat(24)}home`]) {
    const reply = await set(wrong)
    assert.deepEqual([reply.status, reply.body.details.fields[0].path], [422, 'peer_names_suffix'], wrong)
  }
})
