import { randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { toIsoString, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import { inForceSoon, joinRuns } from '../filtering/in-force.ts'
import { ResolverInput } from '../filtering/resolver-input.ts'
import { configurationFileName } from '../peers/file-name.ts'
import { notFound, Problem } from '../problems.ts'
import type { ResolverSupervisor } from '../resolver/supervisor.ts'
import type { Tables } from '../tables.ts'
import { appleProfile } from './apple-profile.ts'
import type { PrivateDnsConfig } from './config.ts'
import type { PeerPrivateDns, PeerPrivateDnsCreated, PrivateDnsStatus } from './schema.ts'
import * as store from './store.ts'

export interface PrivateDnsDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly resolver: Pick<ResolverSupervisor, 'changed' | 'state' | 'quietMs'>
  /** Undefined when names are answered in the tunnels only. */
  readonly config: PrivateDnsConfig | undefined
}

/** DNS over TLS and HTTPS for devices outside the tunnels, each known by a secret of its own. Only their hashes are stored. */
export class PrivateDns {
  readonly #dependencies: PrivateDnsDependencies
  readonly #db: Kysely<Tables>
  readonly #input: ResolverInput
  readonly #write: () => Promise<void>

  constructor(dependencies: PrivateDnsDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
    this.#input = new ResolverInput(dependencies.directory, () => dependencies.resolver.changed('private'))
    this.#write = joinRuns(() => this.#writeFile())
  }

  /** Brings the resolver to what settings and database say, or stops waiting for one that does not answer: it reads the file. */
  async publish(): Promise<void> {
    const { log, resolver } = this.#dependencies
    await inForceSoon({
      change: this.#write(),
      quietMs: () => resolver.quietMs,
      failed: (error) => log.error({ err: error }, 'the resolver was not notified of a change'),
    })
  }

  async #writeFile(): Promise<void> {
    const { config } = this.#dependencies
    const clients = config === undefined ? [] : await store.privateDnsClients(this.#db)
    const placesOf = (places: PrivateDnsConfig['tls'] = []) => places.map(({ address, port }) => ({ address, port }))
    const { name = null, certificate = '', key = '' } = config ?? {}
    const [tls, https, http] = [placesOf(config?.tls), placesOf(config?.https), placesOf(config?.http)]
    await this.#input.write('private', { name, tls, https, http, certificate, key, clients })
  }

  async status(): Promise<PrivateDnsStatus> {
    const { config, resolver } = this.#dependencies
    const state = config && resolver.state?.privateDns
    const found = state?.certificate
    return {
      enabled: config !== undefined,
      host: config?.name ?? null,
      https_url: config?.httpsUrl == null ? null : `${config.httpsUrl}/dns-query`,
      tls: [...(state?.tls ?? [])],
      https: [...(state?.https ?? [])],
      http: [...(state?.http ?? [])],
      certificate: found
        ? {
            names: [...found.names],
            valid_from: new Date(found.validFrom).toISOString(),
            valid_to: new Date(found.validTo).toISOString(),
            for_tls: found.isForDevices,
            for_https: found.isForName,
          }
        : null,
      certificate_problem: state?.problem ?? null,
      devices: await store.countPrivateDns(this.#db),
    }
  }

  async read(peerId: string): Promise<PeerPrivateDns> {
    const { created_at: createdAt, created_by: createdBy } = await this.#peer(peerId)
    return {
      available: this.#dependencies.config !== undefined,
      active: createdAt !== null,
      created_at: toIsoString(createdAt),
      created_by: createdBy,
    }
  }

  /** Gives a peer a secret; one that it had works no more. */
  async create(
    peerId: string,
    by: Pick<Caller, 'username'>,
  ): Promise<{ readonly peer: string; readonly created: PeerPrivateDnsCreated }> {
    const { config, clock } = this.#dependencies
    const { name } = await this.#peer(peerId)
    if (config === undefined) throw new Problem('conflict', isOff)
    const secret = newSecret()
    const row = { peer_id: peerId, hash: hashToken(secret), created_at: clock.now(), created_by: by.username }
    await store.putPrivateDns(this.#db, row)
    await this.publish()
    const tlsHost = config.tls.length === 0 ? null : `${secret}.${config.name}`
    const httpsUrl = config.httpsUrl === null ? null : `${config.httpsUrl}/dns-query/${secret}`
    const created = {
      available: true,
      active: true,
      created_at: new Date(row.created_at).toISOString(),
      created_by: row.created_by,
      tls_host: tlsHost,
      https_url: httpsUrl,
      apple_profile: appleProfile(name, { tlsHost, httpsUrl }),
      file_name: configurationFileName(name).replace(/\.conf$/, '.mobileconfig'),
    }
    return { peer: name, created }
  }

  /** Takes the secret of a peer back; without one nothing changes. */
  async withdraw(peerId: string): Promise<{ readonly peer: string; readonly left: PeerPrivateDns }> {
    const { name } = await this.#peer(peerId)
    await store.deletePrivateDns(this.#db, peerId)
    await this.publish()
    return { peer: name, left: await this.read(peerId) }
  }

  async #peer(id: string) {
    const peer = await store.findPrivateDns(this.#db, id)
    if (peer === undefined) throw notFound(`peer ${id}`)
    return peer
  }
}

const isOff =
  'Names are not answered outside the tunnels: set DNS_TLS_NAME, and DNS_TLS_LISTEN or DNS_HTTPS_LISTEN, in the environment of the service'

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** 160 random bits in base32: a label of a host name, where large and small letters are the same. */
const newSecret = (): string => Array.from(randomBytes(32), (byte) => letters[byte % 32]).join('')
