import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { createApply, type Apply, type ApplyNode, type ApplyResult, type Change } from './apply/apply.ts'
import type { DesiredSite } from './apply/desired-sites.ts'
import { createDriftWatch, type DriftWatch } from './apply/drift-watch.ts'
import { createRevisions, type Revisions } from './apply/revisions.ts'
import { checkServed } from './apply/served-check.ts'
import { createSyncSites } from './apply/sync-sites.ts'
import { blameSite } from './caddy/blame.ts'
import { compileConfig } from './caddy/compile.ts'
import type { CompiledSite, ConfigOptions } from './caddy/desired-state.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import type { Publish } from './events/schema.ts'
import type { CaddyProcess } from './nodes/caddy-process.ts'
import { settleFirstNode } from './nodes/first-node.ts'
import { placeOf, reachHost } from './nodes/node-place.ts'
import { createNodes, type KnownNode, type Nodes } from './nodes/nodes.ts'
import type { Settings } from './settings/schema.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import type { SyncSites } from './sites/sync.ts'

/** What the proxy side is built from. */
export interface ProxyParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: Database<Tables>
  readonly settings: SettingsKeeper
  readonly publish: Publish
  /** The Caddy of the service itself, if it runs one. */
  readonly own: CaddyProcess | undefined
}

/** The Caddy servers, and the way changes take to them. */
export interface Proxy {
  readonly nodes: Nodes
  readonly apply: Apply
  readonly sync: SyncSites
  readonly revisions: Revisions
  readonly drift: DriftWatch
  /** What a site is compiled from, with all that only the server knows. */
  compiled(site: DesiredSite): CompiledSite
  options(): ConfigOptions
  close(): Promise<void>
}

/** Opens the servers and the way to them; nothing is changed yet. */
export async function openProxy(parts: ProxyParts): Promise<Proxy> {
  const { config, database, timers, log, own, settings, publish } = parts
  const db = database.query
  await settleFirstNode(db, { caddy: config.caddy, own, now: timers.now() })
  const nodes = createNodes({
    database,
    clock: timers,
    log,
    own,
    onReachable: ({ id, name }, isReachable) =>
      publish({ type: 'node', action: isReachable ? 'reachable' : 'unreachable', id: String(id), details: { name } }),
  })
  const options = () => optionsOf(settings.current())
  const compiled = (site: DesiredSite) => compiledSite(site)
  const toApplyNode = (node: KnownNode) => applyNode(node, parts, { options, compiled })
  let applying = 0
  const inner = createApply({
    database,
    timers,
    log,
    nodes: async () => (await nodes.list()).filter(({ row }) => row.onboarded_at !== null).map(toApplyNode),
    onApplied: (result, changes) => publishApplied(publish, result, changes),
  })
  const apply: Apply = {
    async request(change) {
      applying += 1
      return await inner.request(change).finally(() => (applying -= 1))
    },
    close: () => inner.close(),
  }
  const sync = createSyncSites(apply, log)
  const drift = createDriftWatch({
    nodes,
    timers,
    log,
    isApplying: () => applying > 0,
    onRestarted: ({ row }) => void sync.later({ siteIds: [], cause: `node.restarted ${row.name}`, author: 'system' }),
    onDrift: ({ nodeId, nodeName, count }) =>
      publish({ type: 'drift', action: 'found', id: String(nodeId), details: { node: nodeName, changes: count } }),
    onSettled: ({ row }) =>
      publish({ type: 'drift', action: 'settled', id: String(row.id), details: { node: row.name } }),
  })
  // What was chosen for all sites is part of the configuration.
  const unsubscribe = settings.onChange(
    () => void sync.later({ siteIds: [], cause: 'settings.updated', author: 'system' }),
  )
  return {
    nodes,
    apply,
    sync,
    revisions: createRevisions(database),
    drift,
    compiled,
    options,
    async close() {
      unsubscribe()
      await drift.close()
      await apply.close()
    },
  }
}

function optionsOf(settings: Settings): ConfigOptions {
  return {
    ...(settings.acme_email !== '' && { acmeEmail: settings.acme_email }),
    ...(settings.acme_ca !== '' && { acmeCa: settings.acme_ca }),
    catchAll: settings.default_response === 'abort' ? 'abort' : 'not_found',
    maintenancePage: settings.maintenance_page,
  }
}

function compiledSite({ id, record, extras }: DesiredSite): CompiledSite {
  return {
    id,
    record,
    passwordHashes: extras.hashes,
    ...(extras.rawRoutes !== undefined && { rawRoutes: extras.rawRoutes }),
  }
}

function applyNode(
  node: KnownNode,
  { own, settings }: ProxyParts,
  { options, compiled }: Pick<Proxy, 'options' | 'compiled'>,
): ApplyNode {
  const place = placeOf(node, own)
  return {
    row: node.row,
    client: node.client,
    compile(sites) {
      const { config, places } = compileConfig({ sites: sites.map(compiled), options: options() }, place)
      return { config, blame: (text) => blameSite(text, places) }
    },
    check: (_config, changed) =>
      settings.current().site_probe
        ? checkServed({ host: reachHost(node), httpPort: place.httpPort }, changed)
        : Promise.resolve(undefined),
  }
}

function publishApplied(publish: Publish, result: ApplyResult, changes: readonly Change[]): void {
  const isApplied = result.nodes.some(({ outcome }) => outcome.kind === 'applied')
  publish({
    type: 'apply',
    action: isApplied ? 'applied' : 'failed',
    id: result.revisionId === undefined ? null : String(result.revisionId),
    details: {
      causes: [...new Set(changes.map(({ cause }) => cause))].slice(0, 10),
      refused: [...result.refused.keys()].slice(0, 50),
      nodes: result.nodes.map(({ name, outcome }) => ({ name, outcome: outcome.kind })),
    },
  })
}
