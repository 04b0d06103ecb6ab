import { engineSettings, policySettings } from '../dns/engine-settings.ts'
import type { DataListener, DataConfig, DataUpstream } from '../dns/loops/data-config.ts'
import type { ListBundle } from '../dns/policy/list-bundle.ts'
import type { PolicyMemory } from '../dns/policy/policy.ts'
import { buildRuleTable } from '../dns/policy/rule-table.ts'
import type { ClientsInForce } from './clients-in-force.ts'
import type { ResolverFiles } from './read-files.ts'
import type { ResolverSettings } from '../dns/resolver-files.ts'

/** Configuration in force; clients change one by one, so they are kept as the table they are looked up in. */
export type ActiveConfig = Omit<ResolverFiles, 'clients'> & { readonly clients: ClientsInForce }

/** The policy that files and compiled lists make together. */
export const policyOf = (files: ActiveConfig, bundle: ListBundle): PolicyMemory => ({
  bundle: bundle.memory,
  clients: files.clients.table(bundle),
  rules: buildRuleTable(files.rules, bundle.table.seeds),
  settings: policySettings(files.settings),
})

/** Returns the settings that data threads need. */
export function settingsConfig(settings: ResolverSettings): Omit<DataConfig, 'policy' | 'listeners' | 'upstreams'> {
  const { cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients } = settings
  return { engine: engineSettings(settings), cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients }
}

/** Returns the start configuration of a data thread, once listeners and upstreams are open. */
export const startConfig = (
  files: ActiveConfig,
  bundle: ListBundle,
  open: { readonly listeners: readonly DataListener[]; readonly upstreams: readonly DataUpstream[] },
): DataConfig => ({ policy: policyOf(files, bundle), ...settingsConfig(files.settings), ...open })
