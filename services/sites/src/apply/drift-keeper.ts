import { diffJson } from '../caddy/config-diff.ts'
import { redactConfig } from '../caddy/redact.ts'
import { readConfig } from '../onboarding/read-config.ts'
import type { ReadOptions } from '../onboarding/site-reading.ts'
import { notFound } from '../problems.ts'
import type { EditMany } from '../sites/bulk-edit.ts'
import { SiteCreate, SitePatch } from '../sites/schema.ts'
import type { SettleWanted } from '../sites/settle-wanted.ts'
import { changedSite, type WantedSite } from '../sites/site-change.ts'
import { planAdoption, type AdoptPlan } from './adopt-drift.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { Drift, DriftWatch } from './drift-watch.ts'
import type { AdoptResult, DriftView } from './schema.ts'
import type { SyncAll } from './sync-all.ts'

/** What somebody else changed, and the two ways to deal with it. */
export interface DriftKeeper {
  /** Looks afresh. */
  list(): Promise<DriftView[]>
  /** Makes the nodes run what is wanted here again. */
  restore(author: string): ReturnType<SyncAll>
  /** Wants here what somebody else changed on a node, as far as sites can have it; the rest is lost, and named. */
  adopt(nodeId: number | undefined, author: string): Promise<AdoptResult>
}

export interface DriftKeeperParts {
  readonly watch: DriftWatch
  readonly syncAll: SyncAll
  readonly desired: () => Promise<DesiredSite[]>
  readonly settleMany: () => SettleWanted
  readonly editMany: EditMany
  /** How configurations of ours are read. */
  readonly readOptions: (nodeId: number) => Promise<ReadOptions>
}

export function createDriftKeeper(parts: DriftKeeperParts): DriftKeeper {
  const { watch, syncAll } = parts
  return {
    async list() {
      await watch.look()
      return watch.current().map(viewOf)
    },
    async restore(author) {
      await watch.look()
      if (watch.current().length === 0) throw notFound('drift')
      const result = await syncAll(author, true)
      await watch.look()
      return result
    },
    async adopt(nodeId, author) {
      await watch.look()
      const drift = watch.current().find((one) => nodeId === undefined || one.nodeId === nodeId)
      if (drift === undefined) throw notFound('drift')
      const result = await adopt(parts, drift, author)
      await watch.look()
      return result
    },
  }
}

async function adopt(
  { desired, settleMany, editMany, readOptions }: DriftKeeperParts,
  drift: Drift,
  author: string,
): Promise<AdoptResult> {
  const sites = await desired()
  const options = { ...(await readOptions(drift.nodeId)), isOurs: true }
  const read = (config: object) => readConfig(config, options)
  const plan = planAdoption(read(drift.expected), read(drift.running), sites)
  const put = await editsOf(plan, sites, settleMany())
  const { synced } = await editMany({ put, remove: [] }, { author, cause: 'drift.adopted', isForced: true })
  return {
    changed: plan.changed.length,
    added: plan.added.length,
    switched_off: plan.gone.length,
    lost: plan.report.map(({ path, what }) => ({ path, message: what })),
    synced: synced.status === 'synced' || synced.status === 'no_change',
  }
}

async function editsOf(plan: AdoptPlan, sites: readonly DesiredSite[], settle: SettleWanted) {
  const known = new Map(sites.map((site) => [site.id, site]))
  const put: { id?: number; wanted: WantedSite }[] = []
  for (const { id, members, hashes } of plan.changed) {
    const site = known.get(id)
    if (site === undefined) continue
    const stored = { record: site.record, extras: { ...site.extras, hashes: { ...site.extras.hashes, ...hashes } } }
    put.push({ id, wanted: await settle(await changedSite(stored, SitePatch.parse(members)), id) })
  }
  for (const { site, hashes } of plan.added) {
    const input = SiteCreate.parse(site)
    const stored = { record: input as unknown as WantedSite['record'], extras: { hashes } }
    put.push({ wanted: await settle(await changedSite(stored, input), undefined) })
  }
  for (const id of plan.gone) {
    const site = known.get(id)
    if (site !== undefined)
      put.push({ id, wanted: { record: { ...site.record, enabled: false }, extras: site.extras } })
  }
  return put
}

function viewOf(drift: Drift): DriftView {
  const changes = diffJson(redactConfig(drift.expected), redactConfig(drift.running))
  return {
    node_id: drift.nodeId,
    node_name: drift.nodeName,
    since: new Date(drift.since).toISOString(),
    running_sha256: drift.sha,
    changes: changes.slice(0, 200),
    change_count: changes.length,
  }
}
