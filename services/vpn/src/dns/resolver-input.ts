import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, writeFileAtomic } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import {
  resolverFile,
  type Listener,
  type ResolverClient,
  type ResolverList,
  type ResolverRule,
  type ResolverSettings,
  type Upstream,
} from './process/resolver-files.ts'
import type { StoredDnsSettings } from './settings.ts'

/** Files the resolver reads, and how it is told. */
export interface ResolverInput {
  writeSettings(settings: ResolverSettings): Promise<void>
  writeClients(clients: readonly ResolverClient[]): Promise<void>
  writeRules(rules: readonly ResolverRule[]): Promise<void>
  writeLists(lists: readonly ResolverList[]): Promise<void>
}

export type InputName = 'settings' | 'clients' | 'rules' | 'lists'

/**
 * Writes the files; `changed` tells a running resolver and resolves when the change is in force. One write at a time for each
 * file, and nothing is written or told when the content is what it was.
 */
export function createResolverInput(directory: string, changed: (file: InputName) => Promise<void>): ResolverInput {
  const turns = createKeyedQueue(1000)
  const last = new Map<InputName, string>()
  const write = (file: InputName, value: unknown) =>
    turns.run(file, async () => {
      const path = join(directory, resolverFile[file])
      const text = JSON.stringify(value)
      const present = last.get(file) ?? (await readFile(path, 'utf8').catch(() => undefined))
      last.set(file, text)
      if (present === text) return
      await writeFileAtomic(path, text)
      await changed(file)
    })
  return {
    writeSettings: (settings) => write('settings', settings),
    writeClients: (clients) => write('clients', clients),
    writeRules: (rules) => write('rules', rules),
    writeLists: (lists) => write('lists', lists),
  }
}

/** The peers that may ask now: enabled, not expired, on an interface that runs. */
export async function readClients(db: Kysely<Tables>, now: number): Promise<ResolverClient[]> {
  const rows = await db
    .selectFrom('peers')
    .innerJoin('interfaces', 'interfaces.name', 'peers.interface')
    .select([
      'peers.id',
      'peers.name',
      'peers.ip',
      'peers.ipv6',
      'peers.dns_number',
      'peers.dns_filtering',
      'peers.dns_lists',
      'peers.dns_logging',
    ])
    .where('peers.enabled', '=', 1)
    .where('interfaces.enabled', '=', 1)
    .where((where) => where.or([where('peers.expires_at', 'is', null), where('peers.expires_at', '>', now)]))
    .orderBy('peers.created_at')
    .execute()
  return rows.map((row) => ({
    number: row.dns_number,
    id: row.id,
    name: row.name,
    addresses: row.ipv6 === null ? [row.ip] : [row.ip, row.ipv6],
    filtering: row.dns_filtering === 1,
    lists: row.dns_lists === null ? null : (JSON.parse(row.dns_lists) as string[]),
    logging: row.dns_logging === 1,
  }))
}

/** The rules that are switched on. */
export async function readRules(db: Kysely<Tables>): Promise<ResolverRule[]> {
  const rows = await db
    .selectFrom('dns_rules')
    .leftJoin('peers', 'peers.id', 'dns_rules.peer_id')
    .select(['dns_rules.number', 'action', 'domain', 'below_only', 'peers.dns_number'])
    .where('dns_rules.enabled', '=', 1)
    .orderBy('dns_rules.number')
    .execute()
  return rows.map((row) => ({
    number: row.number,
    action: row.action,
    domain: row.domain,
    belowOnly: row.below_only === 1,
    client: row.dns_number ?? 0,
  }))
}

/** The addresses of the interfaces that are meant to run. */
export async function readTunnelListeners(db: Kysely<Tables>): Promise<Listener[]> {
  const rows = await db
    .selectFrom('interfaces')
    .select(['name', 'address', 'address6'])
    .where('enabled', '=', 1)
    .orderBy('name')
    .execute()
  return rows.flatMap(({ name, address, address6 }) =>
    [address, address6].flatMap((cidr) =>
      cidr === null ? [] : [{ address: cidr.split('/')[0] ?? '', port: 53, device: name }],
    ),
  )
}

/** What the environment adds to the settings. */
export interface ResolverSurroundings {
  readonly engine: ResolverSettings['engine']
  readonly listeners: readonly Listener[]
  readonly listenClient: number
}

export function resolverSettings(
  stored: StoredDnsSettings,
  upstreams: readonly Upstream[],
  surroundings: ResolverSurroundings,
): ResolverSettings {
  return {
    ...surroundings,
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
    dnssec: stored.dnssec,
    blockPrivateAnswers: stored.block_private_answers,
    privateAnswersAllowed: stored.private_answers_allowed,
    clientRateLimit: stored.client_rate_limit,
    queryLog: stored.query_log,
    anonymizeClients: stored.anonymize_clients,
    logRetentionDays: stored.log_retention_days,
  }
}
