import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openDatabase } from '@hearth/database'
import { eventually, runCommand, startNewService, type NewService } from '@hearth/testing'
import type { Tables } from '../src/tables.ts'
import { ask } from './dns-client.ts'
import { addressRecord, aliasRecord, makeAnswer } from './dns-packets.ts'
import { startUpstream } from './dns-upstream.ts'
import { freeListener } from './resolver-fixture.ts'
import { password } from './browser-fixture.ts'

const geo = (name: string) => join(import.meta.dirname, 'data/geo', name)

/** Texts of the list server, by path. The second has lines a resolver can make nothing of. */
const texts: Readonly<Record<string, string>> = {
  '/trackers': '||ads.shop.example^\n||metrics.tracker.example^\n||tracker.example^\n',
  '/mixed': '||pixel.social.example^\nexample.com##.banner\n||cdn.example^$script,third-party\n! a comment\n',
}

/** A service whose filter works: a resolver on loopback that counts whoever asks as the peer `Phone`, and a list server. */
export interface NamesFixture extends NewService {
  /** Asks the resolver for names, one after the other. */
  look(...names: string[]): Promise<void>
  /** Address of a list. */
  listUrl(path: keyof typeof texts): string
  /** A request with an administrator's token; returns `data`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  call(method: string, path: string, body?: object): Promise<any>
}

/** Starts the service with simulated tunnels, an interface, peers, a reader, and a history of traffic and places. */
export async function startNamesFixture(names: readonly string[] = ['Phone', 'Laptop']): Promise<NamesFixture> {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await startUpstream((query, { name }) =>
      makeAnswer(
        query,
        // Resolvers draw the case of letters again for each question.
        name.toLowerCase() === 'shop.vendor.example'
          ? [aliasRecord('metrics.tracker.example'), addressRecord('192.0.2.7')]
          : [addressRecord('192.0.2.1')],
      ),
    ),
  )
  const server = createServer((request, response) => {
    const text = texts[request.url ?? '']
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const { port: dnsPort } = await freeListener()
  const started = await startNewService('vpn', {
    WIREGUARD_BACKEND: 'simulated',
    PUBLIC_ENDPOINT: 'vpn.example.org',
    DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    DNS_LISTEN_CLIENT: names[0] ?? 'Phone',
    DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    OUTBOUND_ALLOW: '127.0.0.1',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    GEOIP_COUNTRY_DB: geo('GeoLite2-Country-Test.mmdb'),
    GEOIP_ASN_DB: geo('GeoLite2-ASN-Test.mmdb'),
  })
  cleanup.use(started)
  const call = await callerOf(started)
  await furnish(call, names)
  const listPort = (server.address() as AddressInfo).port
  const kept = cleanup.move()
  return {
    ...started,
    call,
    listUrl: (path) => `http://127.0.0.1:${listPort}${path}`,
    async look(...asked) {
      for (const name of asked) {
        await eventually(
          () => ask(dnsPort, { name, timeoutMs: 500 }),
          (answer) => answer !== undefined,
          { what: `an answer for ${name}` },
        )
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function callerOf({ service, environment }: NewService): Promise<NamesFixture['call']> {
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'seed', '--permissions', 'full']
  const token = (await runCommand(words, environment)).stdout.trim()
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const reply = await fetch(`${service.url}${path}`, init)
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return (JSON.parse(text) as { data: unknown }).data
  }
}

async function furnish(call: NamesFixture['call'], names: readonly string[]): Promise<void> {
  await call('POST', '/api/interfaces', {
    name: 'wg0',
    address: '10.8.0.1/24',
    address6: 'fd08::1/64',
    listen_port: 51_820,
  })
  for (const name of names) await call('POST', '/api/peers', { name, interface: 'wg0' })
  await call('POST', '/api/users', { username: 'reader', email: 'reader@example.org', password, role: 'user' })
  // The lists a new install comes with cannot be reached from here.
  for (const { id } of await call('GET', '/api/dns/blocklists')) await call('DELETE', `/api/dns/blocklists/${id}`)
}

/** Waits until the log has so many queries: it is written a little later. */
export async function untilLogged(fixture: NamesFixture, count: number): Promise<void> {
  await eventually(
    async () => (await fixture.call('GET', '/api/dns/stats')).total_queries as number,
    (total) => total >= count,
    { what: `${count} logged queries` },
  )
}

const hour = 3_600_000

/** Gives every peer a day of traffic and some places, as if it had been there; the service reads them at the next look. */
export async function addHistory(fixture: NamesFixture): Promise<void> {
  const database = openDatabase<Tables>({ file: join(fixture.folder, 'vpn.db') })
  const now = Math.floor(Date.now() / hour) * hour
  const { peers } = await fixture.call('GET', '/api/peers')
  const hours = Array.from({ length: 24 }, (_, back) => now - (back + 1) * hour)
  const buckets = (index: number) =>
    hours.map((start) => {
      const rx = Math.round(4e7 + 3e7 * Math.sin(start / hour / 4 + index))
      return { seconds: 3600, start, active_ms: 2e6, rx_bytes: rx, tx_bytes: rx * 5 }
    })
  for (const [index, { id }] of (peers as { id: string }[]).entries()) {
    const own = buckets(index).map((bucket) => Object.assign(bucket, { peer_id: id }))
    await database.query.insertInto('peer_traffic').values(own).execute()
    for (const [order, [country, asn]] of places.entries()) {
      const share = Math.round(3e9 / 4 ** order / (index + 1))
      const bytes = { start: now - hour, peer_id: id, country, asn, rx_bytes: Math.round(share / 5), tx_bytes: share }
      const both = [
        { source: 'endpoint' as const, ...bytes },
        { source: 'destination' as const, ...bytes },
      ]
      await database.query.insertInto('place_traffic').values(both).execute()
    }
  }
  const all = buckets(0).map((bucket) => Object.assign(bucket, { interface: 'wg0' }))
  await database.query.insertInto('interface_traffic').values(all).execute()
  await database.query.insertInto('networks').values(networks).execute()
  await database.close()
}

const places = [
  ['DE', 3320],
  ['US', 13335],
  ['NL', 1136],
  ['SG', 13335],
  ['ZZ', 0],
] as const

const networks = [
  { asn: 3320, organization: 'Deutsche Telekom AG' },
  { asn: 13335, organization: 'Cloudflare, Inc.' },
  { asn: 1136, organization: 'A company with a name longer than most companies have, Incorporated & Limited' },
]
