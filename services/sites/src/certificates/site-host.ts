/** Source of a site's certificate, as in the site record. */
export type TlsMode = 'auto' | 'internal' | 'custom' | 'on_demand' | 'off'

/** A host name of an enabled site, as far as certificates are concerned. */
export interface SiteHost {
  readonly siteId: number
  /** In ASCII and lower case: a name, a wildcard, or an address without brackets. */
  readonly host: string
  readonly tlsMode: TlsMode
  /** Time when the site was last changed, milliseconds; a certificate may be on its way for a while after that. */
  readonly changedAt: number
  /** True if its owner lets SSL Labs hear the name. */
  readonly mayBeScanned: boolean
}

/** Address on which the managed server takes connections. */
export interface NodeEndpoint {
  readonly address: string
  readonly httpPort: number
  readonly httpsPort: number
}

/** The hosts of all enabled sites that answer by TLS, and the server that answers for them. */
export interface SiteHosts {
  list(): Promise<readonly SiteHost[]>
  /** Undefined while no server is known. */
  endpoint(): Promise<NodeEndpoint | undefined>
}
