import { execa } from 'execa'
import type { Accounts } from './accounts/accounts.ts'
import type { Uploads } from './certificates/uploads/uploads.ts'
import type { DesiredSite } from './apply/desired-sites.ts'
import { createDriftKeeper } from './apply/drift-keeper.ts'
import { createExplain } from './apply/explain.ts'
import { createPendingWatch, type PendingWatch } from './apply/pending-watch.ts'
import { createPreviewSite } from './apply/preview.ts'
import { createReturnToRevision } from './apply/return-to-revision.ts'
import { createRevisionDiff } from './apply/revision-diff.ts'
import { createSyncAll } from './apply/sync-all.ts'
import { NodeKeeper } from './nodes/node-keeper.ts'
import { openImporting, readOptionsOf } from './importing.ts'
import { OnboardingKeeper, type OnboardingParts } from './onboarding/onboarding.ts'
import type { ReadOptions } from './onboarding/site-reading.ts'
import { openProxy, type Proxy, type ProxyParts } from './proxy.ts'
import { createReadiness, readCaddyStatus } from './proxy-status.ts'
import type { Readiness } from './readiness.ts'
import type { Features } from './routes.ts'
import { createRuleSurroundings } from './rule-surroundings.ts'
import { createEditMany } from './sites/bulk-edit.ts'
import { createCheckUpstreams } from './sites/check-upstreams.ts'
import { createCheckWanted, frozenSurroundings } from './sites/check-wanted.ts'
import { createSettleWanted, type SettleWanted } from './sites/settle-wanted.ts'
import { Sites } from './sites/sites.ts'
import { allSiteRows, countPending, hasOnDemandSite, namePending } from './sites/store.ts'

/** What managing the Caddy servers is built from. */
export interface ManagementParts extends ProxyParts {
  readonly accounts: Accounts
  readonly uploads: Uploads
}

/** The sites, the Caddy servers they run on, and the way between them. */
export interface Management {
  readonly proxy: Proxy
  readonly onboarding: OnboardingKeeper
  readonly readiness: Readiness
  readonly features: Pick<
    Features,
    'sites' | 'checkUpstreams' | 'applying' | 'taking' | 'nodes' | 'imports' | 'mayHaveCertificate'
  >
  /** Takes over a Caddy that serves nothing, brings the others up to date, and begins to watch. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Opens the sites and what they run on; nothing is changed yet. */
export async function openManagement(parts: ManagementParts): Promise<Management> {
  const proxy = await openProxy(parts)
  const { imports, importConfig } = openImporting({
    ...parts,
    ...proxy,
    settleMany: () => settlerOf(parts, proxy, true),
    adapt: (text) => adaptByFirst(proxy, text),
  })
  const onboarding = openOnboarding(parts, proxy, importConfig)
  const pending = openPending(parts, proxy)
  const readiness = createReadiness(proxy, () => parts.accounts.users.isSetUp())
  return {
    proxy,
    onboarding,
    readiness,
    features: {
      sites: openSites(parts, proxy),
      checkUpstreams: createCheckUpstreams(createRuleSurroundings(parts, proxy)),
      applying: openApplying(parts, proxy),
      taking: { onboarding, status: () => readCaddyStatus(parts.database.query, proxy) },
      imports,
      mayHaveCertificate: (domain) => hasOnDemandSite(parts.database.query, domain),
      nodes: new NodeKeeper({
        ...proxy,
        clock: parts.timers,
        logDirectories: parts.config.logDirectories,
        countPending: (nodeId) => countPending(parts.database.query, nodeId),
        ownVersion: parts.own === undefined ? undefined : await versionOf(parts.config.caddy.path ?? 'caddy'),
      }),
    },
    async start() {
      await begin(parts, { proxy, onboarding })
      pending.start()
    },
    async close() {
      pending.close()
      await proxy.close()
    },
  }
}

function openSites(parts: ManagementParts, proxy: Proxy) {
  const check = createCheckWanted(createRuleSurroundings(parts, proxy))
  return new Sites({
    database: parts.database,
    clock: parts.timers,
    check,
    settle: settlerOf(parts, proxy, false),
    explain: createExplain(statesOf(parts, proxy)),
    preview: createPreviewSite({
      ...statesOf(parts, proxy),
      check,
      settle: settlerOf(parts, proxy, false),
      served: () => proxy.served(),
    }),
    publish: parts.publish,
    sync: proxy.sync,
    nodeNames: () => proxy.nodes.names(),
  })
}

/** The rules; for many sites at once with what the sites were before. */
function settlerOf(parts: ManagementParts, proxy: Proxy, isForMany: boolean): SettleWanted {
  const around = createRuleSurroundings(parts, proxy)
  return createSettleWanted({
    around: isForMany ? frozenSurroundings(around) : around,
    client: async () => (await proxy.nodes.get(1))?.client,
  })
}

function openApplying(parts: ManagementParts, proxy: Proxy): Features['applying'] {
  const { database, timers } = parts
  const { revisions, sync, apply, drift } = proxy
  const syncAll = createSyncAll(apply)
  const editMany = createEditMany({ database, clock: timers, sync })
  return {
    revisions,
    syncAll,
    diff: createRevisionDiff({ ...statesOf(parts, proxy), revisions }),
    now: () => timers.now(),
    returnTo: createReturnToRevision({
      revisions,
      rows: () => allSiteRows(database.query),
      editMany,
      check: () => createCheckWanted(frozenSurroundings(createRuleSurroundings(parts, proxy))),
    }),
    drift: createDriftKeeper({
      watch: drift,
      syncAll,
      desired: () => proxy.desired(),
      settleMany: () => settlerOf(parts, proxy, true),
      editMany,
      readOptions: (nodeId) => ourReadOptions(parts, proxy, nodeId),
    }),
  }
}

/** What states are read and compiled with. */
function statesOf({ own }: ManagementParts, proxy: Proxy) {
  return {
    own,
    desired: () => proxy.desired(),
    desiredState: (sites: readonly DesiredSite[]) => proxy.desiredState(sites),
    firstNode: () => proxy.nodes.get(1),
    recheckFirst: () => proxy.nodes.recheck(1),
  }
}

/** How a configuration of ours is read back: with the authorities that were uploaded here. */
async function ourReadOptions({ material }: ManagementParts, { nodes }: Proxy, nodeId: number): Promise<ReadOptions> {
  const node = await nodes.get(nodeId)
  const authorities = new Map([...material.authorityIds()].map((id) => [material.authority(id)?.join(' '), id]))
  return {
    ...(node === undefined ? {} : readOptionsOf(node)),
    authorityOf: (certificates) => authorities.get(certificates.join(' ')),
  }
}

function openPending({ database, timers, log, uploads }: ManagementParts, { apply, sync, nodes }: Proxy): PendingWatch {
  return createPendingWatch({
    timers,
    log,
    isApplying: () => apply.isBusy,
    async pending() {
      const first = await nodes.get(1)
      return first === undefined || first.row.onboarded_at === null ? '' : await namePending(database.query, 1)
    },
    async apply() {
      // The command line may have brought certificates along.
      await uploads.refresh()
      sync.later({ siteIds: [], cause: 'pending', author: 'system' })
    },
  })
}

/** The Caddy of the settings reads the text. */
async function adaptByFirst({ nodes }: Proxy, text: string) {
  const node = await nodes.get(1)
  if (node === undefined) throw new Error('there is no Caddy')
  return await node.client.adapt(text)
}

function openOnboarding(
  { timers, settings, publish }: ManagementParts,
  { nodes, sync }: Proxy,
  importConfig: OnboardingParts['importConfig'],
): OnboardingKeeper {
  return new OnboardingKeeper({
    nodes,
    clock: timers,
    sync,
    importConfig,
    setAcmeEmail: async (email) => void (await settings.change({ acme_email: email })),
    onOnboarded: ({ row }) => publish({ type: 'onboarding', action: 'completed', id: String(row.id) }),
  })
}

async function begin(
  { own, log }: ManagementParts,
  { proxy, onboarding }: { proxy: Proxy; onboarding: OnboardingKeeper },
): Promise<void> {
  own?.onRestarted(() => void proxy.drift.look())
  proxy.drift.start()
  try {
    // What is the service's own is taken over without a question: nothing else ever configured it.
    if (own !== undefined && (await onboarding.onboardBlank())) return
  } catch (error) {
    log.error({ err: error }, 'Caddy could not be taken over')
  }
  void proxy.drift.look()
  proxy.sync.later({ siteIds: [], cause: 'start', author: 'system' })
}

async function versionOf(program: string): Promise<string | undefined> {
  const { exitCode, stdout } = await execa(program, ['version'], {
    reject: false,
    timeout: 5000,
    stdin: 'ignore',
    maxBuffer: 10_000,
  })
  return exitCode === 0 ? stdout.trim().split(/\s/)[0] : undefined
}
