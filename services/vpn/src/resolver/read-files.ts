import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { engineSettings, policySettings } from '../dns/engine-settings.ts'
import type { DataConfig, DataListener } from '../dns/loops/data-config.ts'
import type { ListBundle } from '../dns/policy/list-bundle.ts'
import type { PolicyMemory } from '../dns/policy/policy.ts'
import { buildProfileTable } from '../dns/policy/profile-table.ts'
import { buildRuleTable } from '../dns/policy/rule-table.ts'
import {
  resolverFile,
  type ResolverClient,
  type ResolverList,
  type ResolverPrivateDns,
  type ResolverProfile,
  type ResolverRecord,
  type ResolverRule,
  type ResolverSettings,
  type ResolverZone,
} from '../dns/resolver-files.ts'
import { ClientsInForce } from './clients-in-force.ts'
import { PeerNamesInForce } from './peer-names-in-force.ts'
import type { ServersConfig } from './upstream-servers.ts'
import { RecordsInForce } from './records-in-force.ts'
import { ZonesInForce } from './zones-in-force.ts'

/** Files that the resolver works from. */
export interface ResolverFiles {
  readonly settings: ResolverSettings
  readonly clients: readonly ResolverClient[]
  readonly profiles: readonly ResolverProfile[]
  readonly rules: readonly ResolverRule[]
  readonly lists: readonly ResolverList[]
  readonly records: readonly ResolverRecord[]
  readonly zones: readonly ResolverZone[]
  readonly private: ResolverPrivateDns
}

/** Settings without a file: the resolver listens nowhere. */
const noSettings: ResolverSettings = {
  engine: 'auto',
  listeners: [],
  listenClient: 0,
  upstreams: [],
  blockingEnabled: true,
  pausedUntil: 0,
  blockMode: 'zero_ip',
  customIpv4: null,
  customIpv6: null,
  blockTtl: 10,
  cacheSize: 16_384,
  cacheMinTtl: 0,
  cacheMaxTtl: 0,
  serveStale: false,
  prefetch: false,
  keepCache: true,
  dnssec: false,
  blockPrivateAnswers: true,
  privateAnswersAllowed: [],
  forwardedZones: [],
  dns64Prefix: null,
  peerNamesSuffix: null,
  clientRateLimit: 0,
  queryLog: 'none',
  anonymizeClients: false,
  logRetentionDays: 7,
  watched: { tunnels: false, blocked: false },
}

const noPrivateDns: ResolverPrivateDns = {
  name: null,
  tls: [],
  https: [],
  http: [],
  certificate: '',
  key: '',
  clients: [],
}

const absent: ResolverFiles = {
  settings: noSettings,
  clients: [],
  profiles: [],
  rules: [],
  lists: [],
  records: [],
  zones: [],
  private: noPrivateDns,
}

/** Reads one of the files; what a missing one stands for when it is not there. Throws when it cannot be read or is no JSON. */
export async function readResolverFile<Name extends keyof ResolverFiles>(
  directory: string,
  name: Name,
): Promise<ResolverFiles[Name]> {
  const text = await readFile(join(directory, resolverFile[name]), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return absent[name]
  const content = JSON.parse(text) as ResolverFiles[Name]
  // A file of an older version lacks what is new.
  return name === 'settings' ? Object.assign({}, absent[name], content) : content
}

/** Reads all files. One that cannot be read counts as missing, with a call of `warn`. */
export async function readResolverFiles(directory: string, warn: (message: string) => void): Promise<ResolverFiles> {
  async function read<Name extends keyof ResolverFiles>(name: Name): Promise<ResolverFiles[Name]> {
    try {
      return await readResolverFile(directory, name)
    } catch (error) {
      warn(`${resolverFile[name]}: ${(error as Error).message}`)
      return absent[name]
    }
  }
  const [settings, clients, profiles, rules, lists, records, zones, privateDns] = await Promise.all([
    read('settings'),
    read('clients'),
    read('profiles'),
    read('rules'),
    read('lists'),
    read('records'),
    read('zones'),
    read('private'),
  ])
  return { settings, clients, profiles, rules, lists, records, zones, private: privateDns }
}

/** Configuration in force; clients change one by one and records are many, so they are kept as the tables they are looked up in. */
export type ActiveConfig = Omit<ResolverFiles, 'clients' | 'records' | 'zones' | 'private'> & {
  readonly clients: ClientsInForce
  readonly records: RecordsInForce
  readonly zones: ZonesInForce
  readonly peerNames: PeerNamesInForce
}

/** The configuration of files, with what they are looked up in. */
export const activeConfig = (files: ResolverFiles, bundle: ListBundle): ActiveConfig => ({
  ...files,
  clients: new ClientsInForce(files.clients, bundle),
  records: new RecordsInForce(files.records),
  zones: new ZonesInForce(files.zones),
  peerNames: new PeerNamesInForce(files.clients),
})

/** The table of the names of peers. */
export const peerNamesOf = (files: ActiveConfig, bundle: ListBundle): Pick<PolicyMemory, 'peerNames'> => ({
  peerNames: files.peerNames.table(bundle.table.seeds, files.settings),
})

/** The table of profiles. */
export const profilesOf = (
  { profiles }: Pick<ActiveConfig, 'profiles'>,
  bundle: ListBundle,
): Pick<PolicyMemory, 'profiles'> => ({
  profiles: buildProfileTable(profiles, bundle.lists),
})

/** The policy that files and compiled lists make together. */
export const policyOf = (files: ActiveConfig, bundle: ListBundle): PolicyMemory => ({
  bundle: bundle.memory,
  clients: files.clients.table(bundle),
  ...profilesOf(files, bundle),
  rules: buildRuleTable(files.rules, bundle.table.seeds),
  records: files.records.table(bundle.table.seeds),
  ...peerNamesOf(files, bundle),
  zones: files.zones.table(bundle.table.seeds),
  settings: policySettings(files.settings),
})

/** Returns the settings that data threads need. */
export function settingsConfig(
  settings: ResolverSettings,
): Omit<DataConfig, 'policy' | 'listeners' | keyof ServersConfig> {
  const { cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients } = settings
  return { engine: engineSettings(settings), cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients }
}

/** Returns the start configuration of a data thread, once listeners and upstreams are open. */
export const startConfig = (
  files: ActiveConfig,
  bundle: ListBundle,
  open: ServersConfig & { readonly listeners: readonly DataListener[] },
): DataConfig => ({ policy: policyOf(files, bundle), ...settingsConfig(files.settings), ...open })
