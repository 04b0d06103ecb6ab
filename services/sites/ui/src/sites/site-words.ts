import type { Tone } from '@hearth/ui'
import type { Site, SiteEnvelope, SiteKind } from './site.ts'
import type { UpstreamState } from './upstreams.ts'

/** Labels of the kinds of sites. */
export const kindNames: Readonly<Record<SiteKind, string>> = {
  proxy: 'Proxy',
  redirect: 'Redirect',
  static: 'Files',
  respond: 'Fixed answer',
  raw: 'Directives',
  portal: 'Portal',
  status: 'Status page',
}

const tlsNames: Readonly<Record<Site['tls']['mode'], string>> = {
  auto: 'Automatic',
  internal: 'Internal',
  custom: 'Own',
  on_demand: 'At the first visit',
  off: 'Off',
}

/** Describes the TLS mode of a site. */
export const tlsName = ({ tls }: Pick<Site, 'tls'>): string =>
  tls.mode === 'auto' && tls.staging ? 'Automatic (test)' : tlsNames[tls.mode]

type Target = Pick<Site, 'kind' | 'upstreams' | 'redirect' | 'static' | 'respond' | 'status_page'>

/** Describes the target of a site: its first upstream and the number of others, an address, a directory, or a status. */
export function targetOf({ kind, upstreams, redirect, static: files, respond, status_page: slug }: Target): string {
  switch (kind) {
    case 'proxy':
      return withMore(upstreams.map(({ url }) => url))
    case 'redirect':
      return redirect === null ? '' : redirect.to
    case 'static':
      return files === null ? '' : files.root
    case 'respond':
      return respond === null ? '' : `Status ${respond.status}`
    case 'raw':
      return 'Own directives'
    case 'portal':
      return 'Sign-in of visitors'
    case 'status':
      return slug === null ? '' : `Status page ${slug}`
  }
}

/** The first of several and how many there are besides. */
export function withMore(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

/** State of a site as its badge shows it. */
export interface SiteState {
  readonly tone: Tone
  readonly text: string
}

/**
 * The state of a site, for its badge; what keeps it from being served comes first. A site is served but failing when none of
 * its upstreams accepts connections, and degraded when some do not.
 */
export function stateOf(
  site: Pick<Site, 'enabled' | 'apply_state' | 'applied_revisions' | 'maintenance_mode'>,
  upstreams: readonly Pick<UpstreamState, 'up'>[] = [],
): SiteState {
  const isServed = Object.keys(site.applied_revisions).length > 0
  if (site.apply_state === 'failed')
    return isServed ? { tone: 'bad', text: 'Change refused' } : { tone: 'bad', text: 'Not served' }
  if (!site.enabled || site.apply_state === 'disabled') return { tone: 'quiet', text: 'Off' }
  if (site.apply_state === 'pending') return { tone: 'accent', text: 'Pending' }
  if (site.maintenance_mode) return { tone: 'warn', text: 'Maintenance' }
  const down = upstreams.filter(({ up }) => up === false).length
  if (down === 0) return { tone: 'good', text: 'Served' }
  return down === upstreams.length ? { tone: 'bad', text: 'Failing' } : { tone: 'warn', text: 'Degraded' }
}

/** The end of Caddy's words, which says what is wrong; where it was stands before that. */
export const gistOf = (words: string): string => words.split(': ').slice(-3).join(': ')

const syncNotes: Readonly<Record<SiteEnvelope['sync_status'], string>> = {
  synced: '',
  no_change: '',
  pending: 'Caddy receives the change shortly.',
  unknown: 'The connection to Caddy broke off; what it runs is being found out.',
}

/** Message about an edit; says how Caddy took it where that is not plain success. */
export function saveMessage(
  { sync_status, sync_error }: Pick<SiteEnvelope, 'sync_status' | 'sync_error'>,
  what: string,
): string {
  const rest = sync_error ?? syncNotes[sync_status]
  return rest === '' ? what : `${what}. ${rest}`
}
