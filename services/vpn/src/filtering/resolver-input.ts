import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, writeFileAtomic } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import {
  resolverFile,
  type Listener,
  type ResolverRule,
  type ResolverSettings,
  type Upstream,
} from '../dns/resolver-files.ts'
import type { ResolverFiles } from '../resolver/stored-files.ts'
import type { StoredDnsSettings } from './settings.ts'
import { enabledInterfaceRows, type RuleRow } from './store.ts'

/** Files that the service writes for its own resolver. */
type InputName = Exclude<keyof ResolverFiles, 'names'>

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')

/**
 * Writes the files that the resolver reads; `changed` notifies a running resolver and resolves when the change is in force. One
 * write at a time for each file; unchanged content is neither written nor notified.
 */
export class ResolverInput {
  readonly #directory: string
  readonly #changed: (file: InputName) => Promise<void>
  readonly #queue = createKeyedQueue(1000)
  readonly #digests = new Map<InputName, string>()

  constructor(directory: string, changed: (file: InputName) => Promise<void>) {
    this.#directory = directory
    this.#changed = changed
  }

  write<Name extends InputName>(file: Name, value: ResolverFiles[Name]): Promise<void> {
    return this.#queue.run(file, async () => {
      const path = join(this.#directory, resolverFile[file])
      const text = JSON.stringify(value)
      const digest = digestOf(text)
      const present = this.#digests.get(file) ?? digestOf(await readFile(path, 'utf8').catch(() => ''))
      this.#digests.set(file, digest)
      if (present === digest) return
      await writeFileAtomic(path, text)
      await this.#changed(file)
    })
  }
}

/** Returns the enabled rules, as the resolver knows them. */
export function rulesOf(rules: readonly RuleRow[]): ResolverRule[] {
  return rules
    .filter(({ enabled }) => enabled === 1)
    .map((row) => ({
      number: row.number,
      action: row.action,
      domain: row.domain,
      belowOnly: row.below_only === 1,
      client: row.client_number ?? 0,
    }))
}

/** The addresses of the interfaces that are meant to run. */
export async function readTunnelListeners(db: Kysely<Tables>): Promise<Listener[]> {
  const rows = await enabledInterfaceRows(db)
  return rows.flatMap(({ name, address, address6 }) =>
    [address, address6].flatMap((cidr) =>
      cidr === null ? [] : [{ address: cidr.split('/')[0] ?? '', port: 53, device: name }],
    ),
  )
}

/** Settings that come from the environment. */
export interface ResolverContext {
  readonly engine: ResolverSettings['engine']
  readonly listeners: readonly Listener[]
  readonly listenClient: number
  readonly watched: ResolverSettings['watched']
}

export function resolverSettings(
  stored: StoredDnsSettings,
  upstreams: readonly Upstream[],
  context: ResolverContext,
): ResolverSettings {
  return {
    ...context,
    upstreams,
    blockingEnabled: stored.blocking_enabled,
    pausedUntil: stored.pausedUntil,
    blockMode: stored.block_mode,
    customIpv4: stored.custom_ipv4,
    customIpv6: stored.custom_ipv6,
    blockTtl: stored.block_ttl,
    cacheSize: stored.cache_size,
    cacheMinTtl: stored.cache_min_ttl,
    cacheMaxTtl: stored.cache_max_ttl,
    serveStale: stored.serve_stale,
    prefetch: stored.prefetch,
    keepCache: stored.keep_cache,
    dnssec: stored.dnssec,
    blockPrivateAnswers: stored.block_private_answers,
    privateAnswersAllowed: stored.private_answers_allowed,
    forwardedZones: stored.forwarded_zones,
    dns64Prefix: stored.dns64_prefix?.split('/')[0] ?? null,
    peerNamesSuffix: stored.peer_names_suffix,
    clientRateLimit: stored.client_rate_limit,
    queryLog: stored.query_log,
    anonymizeClients: stored.anonymize_clients,
    logRetentionDays: stored.log_retention_days,
  }
}
