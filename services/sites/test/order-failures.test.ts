import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { DnsProviderView, OrderView } from '../src/acme/schema.ts'
import { startFollowingResolver } from './following-resolver.ts'
import { loopbackAddress, startNameServer, tsigKey } from './name-server.ts'
import { openOrderPlace, orderObstacle, type OrderPlace } from './order-place.ts'

const codeOf = ({ problem }: OrderView) => problem?.code
const isDone = ({ state, records }: OrderView) => state === 'valid' && records.length === 0

async function orderedThrough(place: OrderPlace, settings: Readonly<Record<string, string>>, domain: string) {
  const provider = await place.addProvider(settings)
  const order = await place.order({
    name: `${domain} ${Object.keys(settings).join()}`,
    domains: [domain],
    provider_id: provider.id,
  })
  return place.until(order.id, ({ problem }) => problem !== null)
}

describe('what goes wrong with an order is said in words', { skip: (await orderObstacle()) ?? false }, () => {
  test('wrong key, wrong zone, and a name that no resolver knows', async () => {
    await using place = await openOrderPlace({ zones: [{ name: 'example.org' }, { name: 'example.com' }] })
    const key = await orderedThrough(place, { key: Buffer.alloc(32, 9).toString('base64') }, 'a.example.org')
    assert.deepEqual([codeOf(key), key.state], ['wrong-credentials', 'waiting'])
    assert.match(key.problem?.text ?? '', /signature is wrong; check the key/)
    assert.ok(key.problem?.advice !== '' && key.next_at !== null)
    assert.ok(!JSON.stringify(key).includes('CQkJ'), 'no secret in the words')
    const settings = { ...place.providerSettings(), key: tsigKey.secret }
    const mended = { json: { settings } }
    assert.equal((await place.admin.call('PATCH', `/api/dns-providers/${key.provider_id}`, mended)).status, 200)
    await place.until(key.id, isDone)
    const zone = await orderedThrough(place, { zone: 'example.com' }, 'b.example.org')
    assert.equal(codeOf(zone), 'wrong-zone')
    assert.match(zone.problem?.text ?? '', /_acme-challenge\.b\.example\.org is not in the zone example\.com/)
    const unknown = await orderedThrough(place, {}, 'c.example.net')
    assert.equal(codeOf(unknown), 'dns-away')
  })

  test('a provider that refuses for ever can be replaced and deleted, with a word about what is left there', async () => {
    await using place = await openOrderPlace()
    const { admin } = place
    const failed = await orderedThrough(place, { key_name: 'other' }, '*.example.org')
    assert.equal(codeOf(failed), 'wrong-credentials')
    const { id } = await place.addProvider()
    const change = { json: { provider_id: id } }
    assert.equal((await admin.call('PATCH', `/api/certificate-orders/${failed.id}`, change)).status, 200)
    const valid = await place.until(failed.id, ({ state, records }) => state === 'valid' && records.length === 1)
    assert.match(valid.records[0]?.problem ?? '', /does not know the key/)
    assert.deepEqual(await place.names.txt('_acme-challenge.example.org'), [], 'what the new one made is removed')
    const old = `/api/dns-providers/${failed.provider_id}`
    const record = { name: '_acme-challenge.example.org', zone: 'example.org' }
    assert.deepEqual((await admin.json<DnsProviderView>('GET', old)).body.records, [record])
    const refused = await admin.json<{ detail: string; code: string }>('DELETE', old)
    assert.deepEqual([refused.status, refused.body.code], [409, 'records_left'])
    assert.match(refused.body.detail, /_acme-challenge\.example\.org in the zone example\.org/)
    assert.equal((await admin.call('DELETE', `${old}?leave_records=true`)).status, 200)
    const { records, history } = await place.find(failed.id)
    assert.deepEqual(records, [])
    const text =
      'The TXT record _acme-challenge.example.org in the zone example.org is left at Home, which was deleted here'
    assert.equal(history.at(-1)?.text, text)
    const used = await admin.call('DELETE', `/api/dns-providers/${id}?leave_records=true`)
    assert.equal(used.status, 409, 'an order still needs it')
  })

  test('an authority that is away is asked again, and the order goes on where it was', async () => {
    await using place = await openOrderPlace()
    const provider = await place.addProvider()
    await place.pebble.stop()
    const order = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
    const waiting = await place.until(order.id, ({ problem }) => problem !== null)
    assert.deepEqual([codeOf(waiting), waiting.step], ['authority-away', 'account'])
    await place.pebble.start()
    assert.equal((await place.admin.call('POST', `/api/certificate-orders/${order.id}/run`)).status, 200)
    const done = await place.until(order.id, isDone)
    // It has forgotten everything: the account is made again with the same key, and the certificate in use stays until then.
    await place.pebble.stop()
    await place.pebble.start()
    await place.admin.call('POST', `/api/certificate-orders/${order.id}/run`)
    const lost = await place.until(order.id, ({ problem }) => problem !== null)
    assert.deepEqual(
      [codeOf(lost), lost.certificate_id, lost.not_after],
      ['order-expired', done.certificate_id, done.not_after],
    )
    await place.admin.call('POST', `/api/certificate-orders/${order.id}/run`)
    await place.until(order.id, isDone)
  })

  test('Retry-After of an authority that allows no more is kept', async () => {
    await using place = await openOrderPlace()
    await using authority = await startLimitedAuthority()
    const change = { json: { acme_ca: authority.directory } }
    assert.equal((await place.admin.call('PATCH', '/api/v1/settings', change)).status, 200)
    const limited = await orderedThrough(place, {}, '*.example.org')
    assert.deepEqual([codeOf(limited), limited.step], ['rate-limited', 'order'])
    assert.match(limited.problem?.text ?? '', /too many certificates/)
    const wait = Date.parse(limited.next_at ?? '') - Date.parse(limited.problem?.at ?? '')
    assert.ok(wait >= 7_200_000, `${wait} ms`)
    const early = await place.admin.json<{ code: string }>('POST', `/api/certificate-orders/${limited.id}/run`)
    assert.deepEqual([early.status, early.body.code], [409, 'rate_limited'])
  })

  test('a name server that does not show the record yet is waited for, by its name', async () => {
    const slow = loopbackAddress()
    const servers = { ns2: slow }
    await using place = await openOrderPlace({ zones: [{ name: 'example.org', servers }] })
    const provider = await place.addProvider()
    {
      // It has the zone without the record.
      await using _second = await startNameServer([{ name: 'example.org' }], slow)
      const order = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
      const text = 'Waiting for DNS to spread: not yet visible at ns2.example.org'
      const waiting = await place.until(order.id, ({ history }) => history.some((entry) => entry.text === text))
      assert.deepEqual([waiting.state, waiting.step, waiting.records.length], ['working', 'spread', 1])
      assert.equal((await place.names.txt('_acme-challenge.example.org')).length, 1)
      assert.equal((await place.admin.call('DELETE', `/api/certificate-orders/${order.id}`)).status, 200)
    }
    // The record goes with the order.
    await eventually(
      () => place.names.txt('_acme-challenge.example.org'),
      (values) => values.length === 0,
    )
  })

  test('an authority that sees another record says so, and the record is removed', async () => {
    const other = loopbackAddress()
    await using _other = await startNameServer([{ name: 'example.org' }], other)
    await using place = await openOrderPlace({ authorityAsks: other })
    const failed = await orderedThrough(place, {}, '*.example.org')
    assert.equal(codeOf(failed), 'validation-failed')
    assert.match(failed.problem?.text ?? '', /could not verify example\.org: .*TXT/)
    await place.until(failed.id, ({ records }) => records.length === 0)
    assert.deepEqual(await place.names.txt('_acme-challenge.example.org'), [])
    // The next order is under way, and the page still says why the one before failed.
    assert.equal((await place.admin.call('POST', `/api/certificate-orders/${failed.id}/run`)).status, 200)
    const again = await place.until(failed.id, ({ state }) => state === 'working')
    assert.deepEqual(again.problem, failed.problem)
    await place.until(failed.id, ({ state, problem }) => state === 'waiting' && problem?.at !== failed.problem?.at)
  })

  test('a challenge that is delegated by CNAME is proved in the other zone', async () => {
    const records = ['_acme-challenge.wiki CNAME wiki.proofs.example.net.']
    const zones = [{ name: 'example.org', records }, { name: 'proofs.example.net' }]
    await using place = await openOrderPlace({
      zones,
      authorityAsks: async (names, made) => made.use(await startFollowingResolver(names.address)).address,
    })
    const provider = await place.addProvider()
    const order = await place.order({ name: 'Wiki', domains: ['wiki.example.org'], provider_id: provider.id })
    const { history } = await place.until(order.id, isDone)
    const text = 'TXT record added: wiki.proofs.example.net in the zone proofs.example.net'
    assert.ok(
      history.some((entry) => entry.text === text),
      JSON.stringify(history),
    )
  })
})

/** An authority with accounts that refuses every order for two hours. */
async function startLimitedAuthority(): Promise<AsyncDisposable & { readonly directory: string }> {
  const server = createServer((request, response) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'replay-nonce': 'bm9uY2U', 'content-type': 'application/json', ...headers })
      response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
    }
    request.resume()
    if (request.url === '/directory')
      return answer(200, { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` })
    if (request.url === '/nonce') return answer(200, {})
    if (request.url === '/account') return answer(201, { status: 'valid' }, { location: `${base}/account/1` })
    const type = 'urn:ietf:params:acme:error:rateLimited'
    return answer(429, { type, detail: 'too many certificates already issued' }, { 'retry-after': '7200' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    directory: `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
