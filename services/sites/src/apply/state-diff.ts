import { diffJson } from '../caddy/config-diff.ts'
import { redactConfig } from '../caddy/redact.ts'
import { diffSites } from '../caddy/site-diff.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { StateDiff } from './schema.ts'

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
    sites: diffSites(before.sites.map(compared), after.sites.map(compared)).map(({ fields, ...site }) =>
      Object.assign(site, { fields: [...fields] }),
    ),
    config: changes.slice(0, mostChanges),
    config_changes: changes.length,
  }
}

const compared = ({ id, record, extras }: DesiredSite) => ({ id, record, passwordHashes: extras.hashes })
