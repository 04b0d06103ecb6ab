/** The site, or the sites of a bucket, that a route of a server belongs to; null for routes of no site. */
export type RoutePlace = number | readonly number[] | null

/** Positions of sites in a configuration, to trace an error of Caddy back to its site. All lists go by position. */
export interface SitePlaces {
  /** Routes of each server. A bucket lists the sites of its inner routes. */
  readonly routes: Readonly<Record<string, readonly RoutePlace[]>>
  /** Routes of the error handling of each server. */
  readonly errorRoutes: Readonly<Record<string, readonly number[]>>
  /** TLS connection policies of each server. */
  readonly connectionPolicies: Readonly<Record<string, readonly (readonly number[])[]>>
  /** Automation policies of the tls app. */
  readonly automationPolicies: readonly (readonly number[])[]
  /** Certificates given as text. */
  readonly pemCertificates: readonly (readonly number[])[]
  /** Certificates given as files: errors name the file, not the position. */
  readonly certificateFiles: readonly { readonly files: readonly string[]; readonly sites: readonly number[] }[]
  /** The site of each domain. */
  readonly domains: ReadonlyMap<string, number>
}
