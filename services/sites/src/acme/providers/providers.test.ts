import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createGuardedFetch, createOutboundAllow, createOutboundPolicy, type GuardedFetch } from '@hearth/outbound'
import { createKeyedQueue } from '@hearth/runtime'
import {
  acmeDnsAccount,
  fakeProviders,
  startProviderServer,
  token,
  type ProviderServer,
} from '../../../test/dns-provider-servers.ts'
import { findKind, providerKinds } from './kinds.ts'
import { ProviderFailed, type ProviderContext } from './provider.ts'

/** Settings with the right credentials, by the kind; the address of a server of one's own is the fake's. */
const settings: Readonly<Record<string, (url: string) => Record<string, string>>> = {
  cloudflare: () => ({ token }),
  hetzner: () => ({ token }),
  desec: () => ({ token }),
  digitalocean: () => ({ token }),
  ovh: () => ({ application_key: 'app', application_secret: 'ovh-secret', consumer_key: token }),
  route53: () => ({ access_key_id: 'AKIATEST', secret_access_key: token }),
  'acme-dns': (url) => ({ url, ...acmeDnsAccount, password: token }),
  webhook: (url) => ({ url, token }),
}

/** Calls of a provider's own address go to its fake. */
function contextOf({ url }: ProviderServer): ProviderContext {
  const policy = createOutboundPolicy(createOutboundAllow(['127.0.0.0/8']))
  const fetch = createGuardedFetch(policy)
  const redirected: GuardedFetch = (address, request) => {
    const { pathname, search } = new URL(address)
    return fetch(`${url}${pathname}${search}`, request)
  }
  const locks = createKeyedQueue(10)
  return {
    fetch: redirected,
    policy,
    now: () => Date.now(),
    withLock: (key, change) => locks.run(key, change),
    zoneOf: (name) =>
      name.endsWith('example.org')
        ? Promise.resolve('example.org')
        : Promise.reject(new ProviderFailed('wrong-zone', `No zone holds ${name}`)),
  }
}

const values = ['a', 'b'].map((letter) => letter.repeat(43)) as [string, string]
const failsAs = (failure: string) => (error: unknown) =>
  error instanceof ProviderFailed && error.failure === failure && !error.message.includes(token)

describe('providers', () => {
  for (const [kind, settingsFor] of Object.entries(settings))
    test(`${kind}: a value is added once, beside others, and removed alone`, async () => {
      await using server = await startProviderServer(fakeProviders[kind] ?? assert.fail())
      const provider = findKind(kind)?.open(settingsFor(server.url), contextOf(server)) ?? assert.fail()
      const name = kind === 'acme-dns' ? `${acmeDnsAccount.subdomain}.example.org` : '_acme-challenge.wiki.example.org'
      const zone = await provider.findZone(name)
      assert.equal(zone, 'example.org')
      const [first, second] = values.map((value) => ({ zone, name, value })) as [never, never]
      await provider.addTxt(first)
      if (kind !== 'acme-dns') await provider.addTxt(first)
      await provider.addTxt(second)
      assert.deepEqual(server.records.get(name), values)
      await provider.removeTxt(first)
      await provider.removeTxt(first)
      if (kind !== 'acme-dns') assert.deepEqual([...server.records], [[name, [values[1]]]])
      await provider.removeTxt(second)
      if (kind !== 'acme-dns') assert.deepEqual([...server.records], [])
    })

  for (const [kind, settingsFor] of Object.entries(settings))
    test(`${kind}: wrong credentials, a wrong zone, too many requests and an outage are told apart`, async () => {
      await using server = await startProviderServer(fakeProviders[kind] ?? assert.fail())
      const right = settingsFor(server.url)
      const context = contextOf(server)
      const name = kind === 'acme-dns' ? `${acmeDnsAccount.subdomain}.example.org` : '_acme-challenge.example.org'
      const record = { zone: 'example.org', name, value: values[0] }
      const secret = Object.keys(right).find((field) => right[field] === token) ?? ''
      const wrong = findKind(kind)?.open({ ...right, [secret]: 'wrong' }, context)
      await assert.rejects(async () => wrong?.addTxt(record), failsAs('wrong-credentials'))
      const provider = findKind(kind)?.open(right, context)
      await assert.rejects(async () => provider?.findZone('_acme-challenge.example.net'), failsAs('wrong-zone'))
      server.refuse(429, { 'retry-after': '90' })
      await assert.rejects(
        async () => provider?.addTxt(record),
        (error) => failsAs('rate-limited')(error) && (error as ProviderFailed).retryAfterMs === 90_000,
      )
      server.refuse(503)
      await assert.rejects(async () => provider?.addTxt(record), failsAs('away'))
      await server[Symbol.asyncDispose]()
      await assert.rejects(async () => provider?.addTxt(record), failsAs('away'))
    })

  test('every kind has a test, and no two have the same name', () => {
    const kinds = providerKinds.map(({ kind }) => kind)
    assert.deepEqual([...new Set(kinds)].toSorted(), [...Object.keys(settings), 'rfc2136'].toSorted())
  })
})
