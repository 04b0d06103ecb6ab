import { hashConfig } from './apply/running-config.ts'
import { createSyncAll } from './apply/sync-all.ts'
import type { Accounts } from './accounts/accounts.ts'
import { createOnboarding, type OnboardingKeeper } from './onboarding/onboarding.ts'
import type { CaddyStatus } from './onboarding/schema.ts'
import { openProxy, type Proxy, type ProxyParts } from './proxy.ts'
import type { Readiness } from './readiness.ts'
import type { Features } from './routes.ts'
import { createSites } from './sites/sites.ts'
import { countStates } from './sites/store.ts'

/** What managing the Caddy servers is built from. */
export interface ManagementParts extends ProxyParts {
  readonly accounts: Accounts
}

/** The sites, the Caddy servers they run on, and the way between them. */
export interface Management {
  readonly proxy: Proxy
  readonly onboarding: OnboardingKeeper
  readonly readiness: Readiness
  readonly features: Pick<Features, 'sites' | 'applying' | 'taking'>
  /** Takes over a Caddy that serves nothing, brings the others up to date, and begins to watch. */
  start(): Promise<void>
  close(): Promise<void>
}

export async function openManagement(parts: ManagementParts): Promise<Management> {
  const { database, timers, settings, publish } = parts
  const proxy = await openProxy(parts)
  const { nodes, sync, revisions } = proxy
  const sites = createSites({
    database,
    clock: timers,
    check: () => Promise.resolve(),
    sync,
    nodeNames: () => nodes.names(),
  })
  const onboarding = createOnboarding({
    nodes,
    clock: timers,
    sync,
    importConfig: () => Promise.resolve({ count: 0, leftOut: [] }),
    setAcmeEmail: async (email) => void (await settings.change({ acme_email: email })),
    onOnboarded: ({ row }) => publish({ type: 'onboarding', action: 'completed', id: String(row.id) }),
    warnings: () => [],
  })
  const status = () => readStatus(parts, proxy)
  return {
    proxy,
    onboarding,
    readiness: readinessOf(parts, proxy),
    features: {
      sites,
      applying: { revisions, syncAll: createSyncAll(proxy.apply) },
      taking: { onboarding, status },
    },
    start: () => begin(parts, { proxy, onboarding }),
    close: () => proxy.close(),
  }
}

async function begin(
  { own, log }: ManagementParts,
  { proxy, onboarding }: { proxy: Proxy; onboarding: OnboardingKeeper },
): Promise<void> {
  try {
    // What is the service's own is taken over without a question: nothing else ever configured it.
    if (own !== undefined) await onboarding.onboardBlank()
  } catch (error) {
    log.error({ err: error }, 'Caddy could not be taken over')
  }
  proxy.sync.later({ siteIds: [], cause: 'start', author: 'system' })
  proxy.drift.start()
}

/** Ready as the specification has it: what runs can be told, onboarding is complete, the admin endpoint answers. */
function readinessOf({ accounts }: ManagementParts, { nodes, drift }: Proxy): Readiness {
  return {
    async check() {
      try {
        const first = await nodes.get(1)
        const isReachable =
          first !== undefined &&
          (await nodes.look(1).then(
            () => true,
            () => false,
          ))
        const isTaken = first?.row.onboarded_at != null && first.row.expected_sha !== null
        const isSetUp = await accounts.users.isSetUp()
        return { runtime: drift.of(1) === undefined, onboarding: isSetUp && isTaken, admin_api: isReachable }
      } catch {
        return { runtime: false, onboarding: false, admin_api: false }
      }
    },
  }
}

async function readStatus({ database }: ManagementParts, { nodes, drift }: Proxy): Promise<CaddyStatus> {
  const running = await nodes.look(1).catch(() => undefined)
  const node = await nodes.get(1)
  const counts = await countStates(database.query)
  const isTaken = node?.row.onboarded_at != null && node.row.expected_sha !== null
  const isForeign = isTaken && running !== undefined && hashConfig(running.config) !== node.row.expected_sha
  return {
    managed: isTaken,
    onboarding_required: !isTaken,
    admin_api_reachable: running !== undefined,
    admin_url: node?.row.admin ?? null,
    last_synced_config_sha256: node?.row.expected_sha ?? null,
    drifted: isForeign || drift.of(1) !== undefined,
    pending_sites: counts.pending,
    failed_sites: counts.failed,
    error: node?.error ?? null,
  }
}
