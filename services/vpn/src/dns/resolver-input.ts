import { createHash } from 'node:crypto'
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
  /** All clients; at a start. Afterwards the resolver is told of changes, and `ClientsFile` follows them. */
  writeClients(clients: readonly ResolverClient[]): Promise<void>
  writeRules(rules: readonly ResolverRule[]): Promise<void>
  writeLists(lists: readonly ResolverList[]): Promise<void>
}

export type InputName = 'settings' | 'clients' | 'rules' | 'lists'

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')

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
      const digest = digestOf(text)
      const present = last.get(file) ?? digestOf(await readFile(path, 'utf8').catch(() => ''))
      last.set(file, digest)
      if (present === digest) return
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

/** The operator's rules, with the peers they are for. */
export function readRules(db: Kysely<Tables>) {
  return db
    .selectFrom('dns_rules')
    .leftJoin('peers', 'peers.id', 'dns_rules.peer_id')
    .select([
      'dns_rules.id',
      'dns_rules.number',
      'dns_rules.action',
      'dns_rules.domain',
      'dns_rules.below_only',
      'dns_rules.enabled',
      'peers.name as client_name',
      'peers.dns_number as client_number',
    ])
    .orderBy('dns_rules.number')
    .execute()
}
export type ReadRule = Awaited<ReturnType<typeof readRules>>[number]

/** Returns the enabled rules, as the resolver knows them. */
export function rulesOf(rules: readonly ReadRule[]): ResolverRule[] {
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

/** Settings that come from the environment. */
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
    forwardedZones: stored.forwarded_zones,
    clientRateLimit: stored.client_rate_limit,
    queryLog: stored.query_log,
    anonymizeClients: stored.anonymize_clients,
    logRetentionDays: stored.log_retention_days,
  }
}
