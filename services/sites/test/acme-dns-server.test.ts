import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePort } from '@hearth/testing'
import type { DnsProviderView, OrderView } from '../src/acme/schema.ts'
import { acmeDnsObstacle, startAcmeDns, type AcmeDns, type AcmeDnsAccount } from './acme-dns-program.ts'
import { startFollowingResolver, type FollowingResolver } from './following-resolver.ts'
import { loopbackAddress } from './name-server.ts'
import { certificateAt, openOrderPlace, orderObstacle, type OrderPlace } from './order-place.ts'

const isDone = ({ state, records }: OrderView) => state === 'valid' && records.length === 0

/** A service, an authority with its own resolver, and aliases of `example.org` that lead to the real acme-dns. */
interface Place extends AsyncDisposable {
  readonly orders: OrderPlace
  /** The resolver that nobody but the authority asks. */
  readonly authorityAsks: FollowingResolver
  addProvider(account: Omit<AcmeDnsAccount, 'fulldomain'> & { readonly url?: string }): Promise<DnsProviderView>
  /** Orders and waits for the certificate, or for what is wrong. */
  order(domains: readonly string[], provider: DnsProviderView): Promise<OrderView>
}

async function openPlace(acmeDns: AcmeDns, aliases: Readonly<Record<string, string>>): Promise<Place> {
  await using made = new AsyncDisposableStack()
  const records = Object.entries(aliases).map(([name, target]) => `${name} CNAME ${target}.`)
  const address = loopbackAddress()
  const delegated = { [acmeDns.zone]: acmeDns.address }
  const serviceAsks = made.use(await startFollowingResolver(address, delegated))
  const authorityAsks = made.use(await startFollowingResolver(address, delegated))
  const orders = made.use(
    await openOrderPlace({
      zones: [{ name: 'example.org', records }],
      address,
      authorityAsks: authorityAsks.address,
      environment: { DNS_RESOLVERS: serviceAsks.address },
    }),
  )
  const all = made.move()
  let count = 0
  return {
    orders,
    authorityAsks,
    async addProvider({ url = acmeDns.url, subdomain, username, password }) {
      const settings = { url, subdomain, username, password }
      const json = { name: subdomain, kind: 'acme-dns', settings }
      const added = await orders.admin.json<DnsProviderView>('POST', '/api/dns-providers', { json })
      assert.equal(added.status, 201, JSON.stringify(added.body))
      return added.body
    },
    async order(domains, { id: provider_id }) {
      count += 1
      const { id } = await orders.order({ name: `Order ${count}`, domains, provider_id })
      return orders.until(id, (order) => isDone(order) || order.problem !== null)
    },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

describe(
  'certificates through a real acme-dns',
  { skip: acmeDnsObstacle() ?? (await orderObstacle()) ?? false },
  () => {
    test('a wildcard and a delegated name are ordered, served and renewed', async () => {
      await using acmeDns = await startAcmeDns()
      const [house, wiki] = [await acmeDns.register(), await acmeDns.register(['127.0.0.0/8'])]
      await using place = await openPlace(acmeDns, {
        '_acme-challenge': house.fulldomain,
        '_acme-challenge.wiki': wiki.fulldomain,
      })
      const provider = await place.addProvider(house)
      const ordered = await place.order(['example.org', '*.example.org'], provider)
      assert.deepEqual([ordered.problem, ordered.state], [null, 'valid'])
      const made = `TXT record added: ${house.fulldomain} in the zone ${acmeDns.zone}`
      const texts = ordered.history.map(({ text }) => text)
      assert.ok(texts.includes(made) && texts.includes(`The record is visible at ${acmeDns.zone}`), texts.join('\n'))
      const asked = { name: house.fulldomain, server: acmeDns.address }
      assert.deepEqual(
        new Set(place.authorityAsks.asked.map((each) => JSON.stringify(each))),
        new Set([JSON.stringify(asked)]),
      )
      assert.match(acmeDns.output(), new RegExp(`domain=${house.fulldomain}\\. qtype=TXT rcode=NOERROR`))
      const { admin, sites } = place.orders
      const tls = { mode: 'custom', certificate_id: ordered.certificate_id }
      const site = { site_name: 'All', domains: ['*.example.org'], kind: 'respond', respond: { body: 'Hello' }, tls }
      const { status } = await admin.call('POST', '/api/sites', { json: site })
      assert.equal(status, 201)
      const first = await certificateAt(sites.caddyPorts[1], 'photos.example.org')
      assert.equal(first.names, 'DNS:example.org, DNS:*.example.org')
      assert.equal((await admin.call('POST', `/api/certificate-orders/${ordered.id}/run`)).status, 200)
      const renewed = await place.orders.until(ordered.id, (order) => isDone(order) && order.not_after !== null)
      assert.equal(renewed.history.filter(({ text }) => text === made).length, 2, 'two values took the place of two')
      const delegated = await place.order(['wiki.example.org'], await place.addProvider(wiki))
      assert.deepEqual([delegated.problem, delegated.state], [null, 'valid'])
      assert.deepEqual(place.authorityAsks.asked.at(-1), { name: wiki.fulldomain, server: acmeDns.address })
    })

    test('what acme-dns refuses, and that it is away, is said in words', async () => {
      await using acmeDns = await startAcmeDns()
      const account = await acmeDns.register()
      const other = await acmeDns.register(['192.0.2.0/24'])
      const unknown = '0d0c1a3e-35b5-4b5f-b5b0-6f6d0d3b6c5a'
      await using place = await openPlace(acmeDns, {
        '_acme-challenge.a': account.fulldomain,
        '_acme-challenge.b': `${unknown}.${acmeDns.zone}`,
        '_acme-challenge.c': other.fulldomain,
      })
      const wrong = 'x'.repeat(40)
      for (const [domain, given] of [
        ['a.example.org', { ...account, password: wrong }],
        ['a.example.org', { ...account, password: 'short' }],
        ['a.example.org', { ...account, username: 'ada' }],
        ['b.example.org', { ...account, subdomain: unknown }],
        ['c.example.org', other],
      ] as const) {
        const { problem } = await place.order([domain], await place.addProvider(given))
        assert.equal(problem?.code, 'wrong-credentials', JSON.stringify(problem))
        const text = problem?.text ?? ''
        assert.match(
          text,
          /^acme-dns does not accept the credentials \(status 401: forbidden, .*subdomain.*this address\)$/,
        )
        assert.ok(!text.includes(given.password))
      }
      const elsewhere = await place.order(['b.example.org'], await place.addProvider(account))
      assert.equal(elsewhere.problem?.code, 'wrong-zone')
      assert.match(
        elsewhere.problem?.text ?? '',
        new RegExp(`^${unknown}.* is no alias of the subdomain ${account.subdomain}`),
      )
      const right = await place.addProvider(account)
      const port = String(await freePort())
      const silent = { ...account, url: acmeDns.url.replace(/\d+$/, port) }
      const away = await place.order(['a.example.org'], await place.addProvider(silent))
      assert.equal(away.problem?.code, 'provider-away', JSON.stringify(away.problem))
      assert.match(away.problem?.text ?? '', /^acme-dns: /)
      await acmeDns.stop()
      const waiting = await place.order(['a.example.org'], right)
      assert.equal(waiting.problem?.code, 'dns-away', JSON.stringify(waiting.problem))
      await acmeDns.start()
      await place.orders.admin.call('POST', `/api/certificate-orders/${waiting.id}/run`)
      await place.orders.until(waiting.id, isDone)
    })

    test('more names than acme-dns keeps values for are refused before any is written', async () => {
      await using acmeDns = await startAcmeDns()
      const account = await acmeDns.register()
      const names = ['a', 'b', 'c']
      const aliases = names.map((name) => [`_acme-challenge.${name}`, account.fulldomain] as const)
      await using place = await openPlace(acmeDns, Object.fromEntries(aliases))
      const provider = await place.addProvider(account)
      const { problem, records, id } = await place.order(
        names.map((name) => `${name}.example.org`),
        provider,
      )
      const words = `The DNS provider keeps 2 values of ${account.fulldomain}, and this order needs 3`
      assert.deepEqual([problem?.code, problem?.text.slice(0, words.length)], ['provider-refused', words])
      assert.deepEqual(records, [])
      assert.ok(!acmeDns.output().includes('TXT updated'))
      const json = { domains: ['a.example.org', 'b.example.org'] }
      assert.equal((await place.orders.admin.call('PATCH', `/api/certificate-orders/${id}`, { json })).status, 200)
      await place.orders.until(id, isDone)
    })
  },
)
