import type { PortalSnapshot, ProtectedSite } from './portal-state.ts'

/** Where a visitor wants to go: a page of a protected site, or an application that signs people in through the portal. */
export type Destination = SiteDestination | ApplicationDestination

/** An application that waits for a sign-in. */
export interface ApplicationDestination {
  readonly kind: 'application'
  readonly name: string
  /** Path of the portal at which the sign-in goes on. */
  readonly path: string
}

/** A page of a protected site, and the browser in which the visit began. */
export interface SiteDestination {
  readonly kind: 'site'
  readonly name: string
  readonly site: ProtectedSite
  /** Host and port. */
  readonly authority: string
  /** Path and query. */
  readonly target: string
  /** Hash of the cookie that the site set. */
  readonly state: string
}

/** The texts of a destination, as they stand in the address of the sign-in page and in its form. */
export interface DestinationTexts {
  readonly site: string
  readonly to: string
  readonly state: string
  /** Id of a sign-in to an application, in place of the rest. */
  readonly application: string
}

/**
 * Reads the destination of a protected site. Only pages of protected sites are one, under a name that stands in the site and at
 * the port of the portal itself: another name below a wildcard, or another port, may belong to another server. Undefined for
 * anything else.
 */
export function readDestination(
  { site: id, to, state }: Omit<DestinationTexts, 'application'>,
  snapshot: PortalSnapshot,
  portalAuthority: string,
): SiteDestination | undefined {
  const site = /^\d{1,15}$/.test(id) ? snapshot.sites.get(Number(id)) : undefined
  if (site === undefined || !/^[\w-]{43}$/.test(state) || !URL.canParse(to)) return undefined
  const url = new URL(to)
  const hasUser = url.username !== '' || url.password !== ''
  if (url.protocol !== 'https:' || hasUser || portOf(url.host) !== portOf(portalAuthority)) return undefined
  if (!site.domains.has(url.hostname.replace(/^\[|\]$/g, ''))) return undefined
  return { kind: 'site', name: site.name, site, authority: url.host, target: `${url.pathname}${url.search}`, state }
}

/** The port of an authority; that of https when it names none. */
const portOf = (authority: string): string => /:(\d+)$/.exec(authority)?.[1]?.replace(/^443$/, '') ?? ''
