import { createSealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { createApplyNode } from './apply/apply-node.ts'
import { Apply } from './apply/apply.ts'
import { desiredSites, type DesiredSite } from './apply/desired-sites.ts'
import { DriftWatch } from './apply/drift-watch.ts'
import { servedSites } from './apply/node-run.ts'
import { publishApplied } from './apply/publish-applied.ts'
import { createRevisions, type Revisions } from './apply/revisions.ts'
import { createSyncSites } from './apply/sync-sites.ts'
import type { UploadedMaterial } from './certificates/uploads/uploaded-material.ts'
import type { CompiledSite, ConfigOptions, DesiredState } from './caddy/desired-state.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import type { Publish } from './events/schema.ts'
import type { CaddyProcess } from './nodes/caddy-process.ts'
import { createExpectedConfigs, type ExpectedConfigs } from './nodes/expected-config.ts'
import { settleFirstNode } from './nodes/first-node.ts'
import { type KnownNode, type NodeParts, Nodes } from './nodes/nodes.ts'
import type { NodeRow } from './nodes/tables.ts'
import { onDemandAskUrl } from './on-demand/routes.ts'
import type { Settings } from './settings/schema.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import { allSiteRows } from './sites/store.ts'
import type { SyncSites } from './sites/sync.ts'

/** What the proxy side is built from. */
export interface ProxyParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: Database<Tables>
  /** The service's key, 32 bytes. */
  readonly secret: Uint8Array
  readonly settings: SettingsKeeper
  readonly publish: Publish
  /** The Caddy of the service itself, if it runs one. */
  readonly own: CaddyProcess | undefined
  /** Uploaded certificates and authorities. */
  readonly material: UploadedMaterial
  /** The port this service listens at. */
  readonly port: () => number
}

/** The Caddy servers, and the way changes take to them. */
export interface Proxy {
  readonly nodes: Nodes
  readonly apply: Apply
  readonly sync: SyncSites
  readonly revisions: Revisions
  readonly drift: DriftWatch
  /** The sites as they are wanted. */
  desired(): Promise<DesiredSite[]>
  /** The sites as the first server serves them. */
  served(): Promise<DesiredSite[]>
  /** All that configurations are made of, with what only the server knows. */
  desiredState(sites: readonly DesiredSite[]): DesiredState
  close(): Promise<void>
}

/** Opens the servers and the way to them; nothing is changed yet. */
export async function openProxy(parts: ProxyParts): Promise<Proxy> {
  const { config, database, timers, log, own, settings } = parts
  await settleFirstNode(database.query, { caddy: config.caddy, own, now: timers.now() })
  const nodes = openNodes(parts, (row) => applyToOtherVersion(sync, row))
  const desiredState = desiredStateWith(parts)
  const configs = createExpectedConfigs(createSealer(parts.secret))
  const toApply = {
    own,
    desiredState,
    configs,
    recheck: (id: number) => nodes.recheck(id),
    isProbing: () => settings.current().site_probe,
  }
  const apply = new Apply({
    database,
    timers,
    log,
    nodes: async () => (await managed(nodes)).map((node) => createApplyNode(node, toApply)),
    onApplied: (result, changes) => publishApplied(parts.publish, result, changes),
  })
  const sync = createSyncSites(apply, log)
  const drift = openDrift({ ...parts, configs }, { nodes, apply, sync })
  // What was chosen for all sites is part of the configuration.
  const changed = { siteIds: [], cause: 'settings.updated', author: 'system' }
  const unsubscribe = settings.onChange(() => void sync.later(changed))
  return {
    nodes,
    apply,
    sync,
    revisions: createRevisions(database),
    drift,
    desired: async () => desiredSites(await allSiteRows(database.query)),
    served: async () => servedSites(database.query, 1, desiredSites(await allSiteRows(database.query))),
    desiredState,
    async close() {
      unsubscribe()
      await drift.close()
      await apply.close()
    },
  }
}

function desiredStateWith({ config, settings, material, port }: ProxyParts): Proxy['desiredState'] {
  return (sites) => ({
    sites: sites.map((site) => compiledSite(site, material)),
    options: optionsOf(settings.current(), onDemandAskUrl(config.bindAddress, port())),
  })
}

async function managed(nodes: Nodes): Promise<KnownNode[]> {
  return (await nodes.list()).filter(({ row }) => row.onboarded_at !== null)
}

function openNodes({ database, timers, log, own, publish }: ProxyParts, onReplaced: NodeParts['onReplaced']): Nodes {
  return new Nodes({ database, clock: timers, log, own, onReachable: reachableEvents(publish), onReplaced })
}

/** Uses what another version can do, and tries again what the version before has refused. */
function applyToOtherVersion(sync: SyncSites, { name, onboarded_at: onboardedAt }: NodeRow): void {
  if (onboardedAt === null) return
  sync.later({ siteIds: [], cause: `node.replaced ${name}`, author: 'system', isRetrying: true })
}

function reachableEvents(publish: Publish): (row: NodeRow, isReachable: boolean) => void {
  return ({ id, name }, isReachable) =>
    publish({ type: 'node', action: isReachable ? 'reachable' : 'unreachable', id: String(id), details: { name } })
}

function openDrift(
  { timers, log, publish, configs }: ProxyParts & { readonly configs: ExpectedConfigs },
  { nodes, apply, sync }: Pick<Proxy, 'nodes' | 'apply' | 'sync'>,
): DriftWatch {
  return new DriftWatch({
    nodes,
    configs,
    timers,
    log,
    isApplying: () => apply.isBusy,
    isBehind: (nodeId) => apply.isBehind(nodeId),
    onRestarted: ({ row }) => void sync.later({ siteIds: [], cause: `node.restarted ${row.name}`, author: 'system' }),
    onBehind: ({ row }) => void sync.later({ siteIds: [], cause: `node.returned ${row.name}`, author: 'system' }),
    onDrift: ({ nodeId, nodeName }) =>
      publish({ type: 'drift', action: 'found', id: String(nodeId), details: { node: nodeName } }),
    onSettled: ({ row }) =>
      publish({ type: 'drift', action: 'settled', id: String(row.id), details: { node: row.name } }),
  })
}

function optionsOf(settings: Settings, onDemandAsk: string | undefined): ConfigOptions {
  return {
    ...(onDemandAsk !== undefined && { onDemandAsk }),
    ...(settings.acme_email !== '' && { acmeEmail: settings.acme_email }),
    ...(settings.acme_ca !== '' && { acmeCa: settings.acme_ca }),
    catchAll: settings.default_response === 'abort' ? 'abort' : 'not_found',
    maintenancePage: settings.maintenance_page,
  }
}

function compiledSite({ id, record, extras }: DesiredSite, material: UploadedMaterial): CompiledSite {
  const { certificate_id: certificateId, client_auth_ca_id: clientAuthority } = record.tls
  const certificate = certificateId === null ? undefined : material.certificate(certificateId)
  const clientAuthorities = clientAuthority === null ? undefined : material.authority(clientAuthority)
  const upstreamTls = [record.upstream_tls, ...record.paths.map(({ upstream_tls }) => upstream_tls)]
  const authorities = upstreamTls.flatMap(({ ca_id: number }) => {
    const found = number === null ? undefined : material.authority(number)
    return number === null || found === undefined ? [] : [[number, found] as const]
  })
  return {
    id,
    record,
    passwordHashes: extras.hashes,
    ...(certificate !== undefined && { certificate }),
    ...(clientAuthorities !== undefined && { clientAuthorities }),
    ...(authorities.length > 0 && { upstreamAuthorities: Object.fromEntries(authorities) }),
    ...(extras.rawRoutes !== undefined && { rawRoutes: extras.rawRoutes }),
  }
}
