import { engineSettings, policySettings } from '../dns/engine-settings.ts'
import type { DataConfig, DataListener } from '../dns/loops/data-config.ts'
import type { ListBundle } from '../dns/policy/list-bundle.ts'
import type { PolicyMemory } from '../dns/policy/policy.ts'
import { buildProfileTable } from '../dns/policy/profile-table.ts'
import { buildRuleTable } from '../dns/policy/rule-table.ts'
import type { ResolverSettings } from '../dns/resolver-files.ts'
import { ClientsInForce } from './clients-in-force.ts'
import { PeerNamesInForce } from './peer-names-in-force.ts'
import type { ServersConfig } from './upstream-servers.ts'
import { RecordsInForce } from './records-in-force.ts'
import { readResolverFiles, type ResolverFiles } from './stored-files.ts'
import { ZonesInForce } from './zones-in-force.ts'

/** Configuration in force; clients change one by one and records are many, so they are kept as the tables they are looked up in. */
export type ActiveConfig = Omit<ResolverFiles, 'clients' | 'names' | 'records' | 'zones' | 'private'> & {
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
  peerNames: new PeerNamesInForce(files.clients, files.names),
})

/** Reads all files. Rejects with what is wrong when one cannot be read. */
export async function readActiveConfig(directory: string, bundle: ListBundle): Promise<ActiveConfig> {
  const broken: string[] = []
  const read = await readResolverFiles(directory, (message) => broken.push(message))
  if (broken.length > 0) throw new Error(broken.join('; '))
  return activeConfig(read, bundle)
}

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
