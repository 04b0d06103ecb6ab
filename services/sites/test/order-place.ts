import assert from 'node:assert/strict'
import { connect } from 'node:tls'
import { eventually } from '@hearth/testing'
import type { DnsProviderView, OrderView } from '../src/acme/schema.ts'
import type { Browser } from './browser.ts'
import { startSites, type Sites, type SitesOptions } from './in-process.ts'
import { nameServerObstacle, startNameServer, tsigKey, type NameServer, type TestZone } from './name-server.ts'
import { pebbleObstacle, startPebble, type Pebble } from './pebble.ts'
import { caddyObstacle } from './real-caddy.ts'

/** Why certificates cannot be ordered from a real authority here, or undefined. */
export const orderObstacle = async (): Promise<string | undefined> =>
  pebbleObstacle() ?? caddyObstacle() ?? (await nameServerObstacle())

/** A service with a name server, an authority and its own Caddy, all of them real. */
export interface OrderPlace extends AsyncDisposable {
  readonly sites: Sites
  readonly admin: Browser
  readonly names: NameServer
  readonly pebble: Pebble
  readonly environment: Readonly<Record<string, string>>
  /** Settings of the name server as a provider, the secret left out. */
  providerSettings(): Readonly<Record<string, string>>
  /** Sets up the name server as a provider. */
  addProvider(settings?: Readonly<Record<string, string>>): Promise<DnsProviderView>
  order(values: object): Promise<OrderView>
  find(id: string): Promise<OrderView>
  /** Waits until an order is as it should be. */
  until(id: string, isGood: (order: OrderView) => boolean): Promise<OrderView>
}

/** Options of the place. */
export interface OrderPlaceOptions extends SitesOptions {
  readonly zones?: readonly TestZone[]
  /** Address of the name server; a fresh one when missing. */
  readonly address?: string
  readonly pebbleEnvironment?: Readonly<Record<string, string>>
  /** HMAC keys by their identifiers, one of which accounts at the authority need. */
  readonly externalAccounts?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** Address of the name server that the authority asks; the one with the zones when missing. */
  readonly authorityAsks?: string | ((names: NameServer, made: AsyncDisposableStack) => Promise<string>)
}

/** Starts all of it; the zone is `example.org` unless others are named. */
export async function openOrderPlace(options: OrderPlaceOptions = {}): Promise<OrderPlace> {
  const {
    address,
    zones = [{ name: 'example.org' }],
    pebbleEnvironment,
    externalAccounts,
    environment: more,
    authorityAsks,
    ...rest
  } = options
  await using made = new AsyncDisposableStack()
  const names = made.use(await startNameServer(zones, address))
  const asked = typeof authorityAsks === 'function' ? await authorityAsks(names, made) : authorityAsks
  const pebble = made.use(await startPebble(asked ?? names.address, pebbleEnvironment, externalAccounts))
  const environment = {
    DNS_RESOLVERS: names.address,
    OUTBOUND_ALLOW: `localhost:${pebble.port},127.0.0.0/8`,
    ...more,
  }
  const sites = made.use(await startSites(environment, { caddy: true, ...rest }))
  const admin = await sites.signIn()
  const change = await admin.call('PATCH', '/api/v1/settings', { json: { acme_ca: pebble.directory } })
  assert.equal(change.status, 200)
  const find = async (id: string) => (await admin.json<OrderView>('GET', `/api/certificate-orders/${id}`)).body
  const providerSettings = () => ({ server: names.address, key_name: tsigKey.name, algorithm: tsigKey.algorithm })
  const all = made.move()
  return {
    sites,
    admin,
    names,
    pebble,
    environment,
    find,
    providerSettings,
    async addProvider(settings = {}) {
      const base = { ...providerSettings(), key: tsigKey.secret }
      const json = { name: 'Home', kind: 'rfc2136', settings: { ...base, ...settings } }
      const added = await admin.json<DnsProviderView>('POST', '/api/dns-providers', { json })
      assert.equal(added.status, 201, JSON.stringify(added.body))
      return added.body
    },
    async order(json) {
      const added = await admin.json<OrderView>('POST', '/api/certificate-orders', { json })
      assert.equal(added.status, 201, JSON.stringify(added.body))
      return added.body
    },
    until: (id, isGood) => eventually(() => find(id), isGood, { what: 'the state of the order' }),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

/** The certificate that a server shows for a name. */
export const certificateAt = (port: number, host: string) =>
  new Promise<{ names: string; serial: string }>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false }, () => {
      const found = socket.getPeerX509Certificate()
      resolve({ names: found?.subjectAltName ?? '', serial: found?.serialNumber ?? '' })
      socket.destroy()
    })
    socket.on('error', reject)
  })
