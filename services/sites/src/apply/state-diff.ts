import { diffJson } from '../caddy/config-diff.ts'
import { redactConfig } from '../caddy/redact.ts'
import { diffSite } from '../caddy/site-diff.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { SiteDiff, StateDiff } from './schema.ts'

/** Sites as they are served, and the configuration they make. */
export interface SiteState {
  readonly sites: readonly DesiredSite[]
  readonly config: object | undefined
}

const mostChanges = 200

/** What lies between two states, by sites and in Caddy's terms. Hashes and keys are shown as changed, never as they are. */
export function diffStates(before: SiteState, after: SiteState): StateDiff {
  const changes = diffJson(redactConfig(before.config ?? {}), redactConfig(after.config ?? {}))
  return {
    sites: diffLists(before.sites, after.sites),
    config: changes.slice(0, mostChanges),
    config_changes: changes.length,
  }
}

function diffLists(before: readonly DesiredSite[], after: readonly DesiredSite[]): SiteDiff[] {
  const earlier = new Map(before.map((site) => [site.id, site]))
  const later = new Map(after.map((site) => [site.id, site]))
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].sort((one, other) => one - other)
  return ids.flatMap((id) => diffOne(earlier.get(id), later.get(id)) ?? [])
}

function diffOne(before: DesiredSite | undefined, after: DesiredSite | undefined): SiteDiff | undefined {
  if (before === after) return undefined
  const fields = diffSite(before, after)
  if (fields.length === 0) return undefined
  return {
    site_id: after?.id ?? before?.id ?? null,
    site_name: after?.name ?? before?.name ?? '',
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    fields,
  }
}
