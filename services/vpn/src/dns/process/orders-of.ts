import { engineSettings, policySettings } from '../engine-settings.ts'
import type { DataListener, DataOrders, DataUpstream } from '../loops/orders.ts'
import type { ListBundle } from '../policy/list-bundle.ts'
import { buildPolicy, type PolicyMemory } from '../policy/policy.ts'
import type { ResolverFiles } from './read-files.ts'
import type { ResolverSettings } from './resolver-files.ts'

/** The policy that files and compiled lists make together. */
export const policyOf = (files: ResolverFiles, bundle: ListBundle): PolicyMemory =>
  buildPolicy({
    bundle: bundle.memory,
    clients: files.clients,
    rules: files.rules,
    settings: policySettings(files.settings),
  })

/** What the threads that answer need of the settings alone. */
export function settingsOrders(settings: ResolverSettings): Omit<DataOrders, 'policy' | 'listeners' | 'upstreams'> {
  const { cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients } = settings
  return { engine: engineSettings(settings), cacheSize, listenClient, clientRateLimit, queryLog, anonymizeClients }
}

/** What a data thread starts with: everything, once listeners and upstreams are open. */
export const startOrders = (
  files: ResolverFiles,
  bundle: ListBundle,
  open: { readonly listeners: readonly DataListener[]; readonly upstreams: readonly DataUpstream[] },
): DataOrders => ({ policy: policyOf(files, bundle), ...settingsOrders(files.settings), ...open })
