import { isDeepStrictEqual } from 'node:util'
import { withoutReach } from '../caddy/reach-routes.ts'
import type { DesiredSite } from '../deploy/desired-sites.ts'
import type { Drift, DriftWatch } from '../deploy/drift.ts'
import { notFound } from '../problems.ts'
import type { EditMany } from '../sites/bulk-edit.ts'
import { SiteCreate, SitePatch } from '../sites/schema.ts'
import type { SettleWanted } from '../sites/check-wanted.ts'
import { changedSite, type WantedSite } from '../sites/site-change.ts'
import type { AdoptResult, ReportItem } from './schema.ts'
import { readConfig, type ImportedSite, type ImportReading } from './config/read-config.ts'
import type { ReadOptions } from './config/site-reading.ts'

/**
 * Adopts the drift of a server, or of the first one that drifted when `nodeId` is undefined. Sites take over the settings
 * they support; the result lists the rest, which is lost. Throws a problem when there is no drift.
 */
export type AdoptDrift = (nodeId: number | undefined, author: string) => Promise<AdoptResult>

/** Dependencies of `createAdoptDrift`. */
export interface AdoptDependencies {
  readonly watch: Pick<DriftWatch, 'check' | 'current'>
  readonly desired: () => Promise<DesiredSite[]>
  readonly settleMany: () => SettleWanted
  readonly editMany: EditMany
  /** Returns how a configuration of this service is read back from a server. */
  readonly readOptions: (nodeId: number) => Promise<ReadOptions>
}

/** Creates the adoption. Sites that the drift removed are disabled, not deleted. */
export function createAdoptDrift(dependencies: AdoptDependencies): AdoptDrift {
  const { watch } = dependencies
  return async (nodeId, author) => {
    await watch.check()
    const drift = watch.current().find((one) => nodeId === undefined || one.nodeId === nodeId)
    if (drift === undefined) throw notFound('drift')
    const result = await adopt(dependencies, drift, author)
    await watch.check()
    return result
  }
}

async function adopt(
  { desired, settleMany, editMany, readOptions }: AdoptDependencies,
  drift: Drift,
  author: string,
): Promise<AdoptResult> {
  const sites = await desired()
  const options = { ...(await readOptions(drift.nodeId)), isOurs: true }
  const known = new Set(sites.map(({ id }) => id))
  const read = (config: object) =>
    readConfig(
      withoutReach(config, (id) => known.has(id)),
      options,
    )
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

/** Members of a site that somebody changed. */
export interface ChangedSite {
  readonly id: number
  readonly members: Readonly<Record<string, unknown>>
  /** Hashes of users of basic authentication. */
  readonly hashes: Readonly<Record<string, string>>
}

/** Edits that make the drift part of the sites. */
export interface AdoptPlan {
  /** Changed members of existing sites, by site id. */
  readonly changed: readonly ChangedSite[]
  /** Hosts that no site has. */
  readonly added: readonly ImportedSite[]
  /** Sites that are no longer served; they are disabled, not deleted. */
  readonly gone: readonly number[]
  /** Parts that no site supports; they are lost. */
  readonly report: readonly ReportItem[]
}

/**
 * Compares how our configuration reads with how it reads after somebody else changed it. Only what differs between the two is
 * taken over, so members that a configuration does not hold, such as names, stay as they are.
 */
export function planAdoption(before: ImportReading, after: ImportReading, sites: readonly DesiredSite[]): AdoptPlan {
  const known = new Set(sites.map(({ id }) => id))
  const earlier = byNumber(before.sites, known)
  const later = byNumber(after.sites, known)
  const changed = [...later].flatMap(([id, site]) => {
    const members = changedMembers(earlier.get(id)?.site ?? {}, site.site)
    return Object.keys(members).length === 0 ? [] : [{ id, members, hashes: site.hashes }]
  })
  const old = new Set(before.report.map((item) => `${item.path} ${item.what}`))
  return {
    changed,
    added: after.sites.filter((site) => site.id === undefined || !known.has(site.id)),
    gone: [...earlier.keys()].filter((id) => !later.has(id)),
    report: after.report.filter((item) => !old.has(`${item.path} ${item.what}`)),
  }
}

function byNumber(sites: readonly ImportedSite[], known: ReadonlySet<number>): Map<number, ImportedSite> {
  return new Map(
    sites.flatMap((site) => (site.id !== undefined && known.has(site.id) ? [[site.id, site] as const] : [])),
  )
}

/** Members that a configuration does not show. A sign-in that somebody took out of it stays: it ends in the editor alone. */
const unread = new Set(['site_name', 'sign_in', 'check', 'reach'])

function changedMembers(before: object, after: object): Record<string, unknown> {
  const old = before as Record<string, unknown>
  const entries = Object.entries(after).filter(
    ([name, value]) => !unread.has(name) && value !== undefined && !isDeepStrictEqual(old[name], value),
  )
  return Object.fromEntries(entries)
}
