import { engineSettings, policySettings } from '../engine-settings.ts'
import type { DataListener, DataOrders, DataUpstream } from '../loops/orders.ts'
import type { ListBundle } from '../policy/list-bundle.ts'
import type { PolicyMemory } from '../policy/policy.ts'
import { buildRuleTable } from '../policy/rule-table.ts'
import type { ClientsInForce } from './clients-in-force.ts'
import type { ResolverFiles } from './read-files.ts'
import type { ResolverSettings } from './resolver-files.ts'

/** Configuration in force; clients change one by one, so they are kept as the table they are looked up in. */
export type InForce = Omit<ResolverFiles, 'clients'> & { readonly clients: ClientsInForce }

/** The policy that files and compiled lists make together. */
export const policyOf = (files: InForce, bundle: ListBundle): PolicyMemory => ({
  bundle: bundle.memory,
  clients: files.clients.table(bundle),
  rules: buildRuleTable(files.rules, bundle.table.seeds),
  settings: policySettings(files.settings),
})

/** Returns the settings that data threads need. */
export function settingsOrders(settings: ResolverSettings): Omit<DataOrders, 'policy' | 'listeners' | 'upstreams'> {
  const { cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients } = settings
  return { engine: engineSettings(settings), cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients }
}

/** Returns the start configuration of a data thread, once listeners and upstreams are open. */
export const startOrders = (
  files: InForce,
  bundle: ListBundle,
  open: { readonly listeners: readonly DataListener[]; readonly upstreams: readonly DataUpstream[] },
): DataOrders => ({ policy: policyOf(files, bundle), ...settingsOrders(files.settings), ...open })
