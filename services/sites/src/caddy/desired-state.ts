import type { SiteRecord } from '../sites/schema.ts'
import type { ReachNetworks } from '../sites/reach-schema.ts'
import type { Capabilities } from './capabilities.ts'

/** A certificate with its key: the texts, or paths on the node. */
export type CertificateSource =
  | { readonly form: 'pem'; readonly certificate: string; readonly key: string }
  | { readonly form: 'files'; readonly certificate: string; readonly key: string }

/** A site as it is stored, with what only the server knows. */
export interface CompiledSite {
  readonly id: number
  readonly record: SiteRecord
  /** Bcrypt hashes by user name. */
  readonly passwordHashes?: Readonly<Record<string, string>>
  /** The certificate of `tls.certificate_id`. */
  readonly certificate?: CertificateSource
  /** Base64 of the DER form of the certificates of `tls.client_auth_ca_id`. */
  readonly clientAuthorities?: readonly string[]
  /** The same for each `upstream_tls.ca_id` of the site and its paths, by id. */
  readonly upstreamAuthorities?: Readonly<Record<number, readonly string[]>>
  /** Routes of a site of kind raw: adapted and found harmless (see `raw-routes.ts`). */
  readonly rawRoutes?: readonly object[]
}

/** Sockets at which the portal answers Caddy, in the notation of an upstream. */
export interface PortalSockets {
  /** Decides about requests to protected sites. Nobody but Caddy may reach it. */
  readonly verify: string
  /** Serves the pages on which visitors sign in. */
  readonly pages: string
  /** Serves the status pages of sites of kind status. */
  readonly status: string
}

/** Options for all sites. */
export interface ConfigOptions {
  readonly acmeEmail?: string
  /** Directory of the public authority; Let's Encrypt's when it is not given. */
  readonly acmeCa?: string
  /** External accounts by the directory of the authority; the key is base64url. */
  readonly externalAccounts?: ReadonlyMap<string, { readonly keyId: string; readonly key: string }>
  /** Address that Caddy requests before it gets an on-demand certificate. */
  readonly onDemandAsk?: string
  /** Networks from which sites that are not for everyone are reached; those sites are closed without. */
  readonly reach?: ReachNetworks
  /** Answer to unknown hosts: the status 404, or a closed connection. */
  readonly catchAll: 'not_found' | 'abort'
  /** HTML with the 404. */
  readonly defaultPage?: string
  /** HTML of sites in maintenance without a page. */
  readonly maintenancePage?: string
  /** Seconds running requests may take after a change; default 60. */
  readonly gracePeriod?: number
  /** Seconds WebSockets survive a change, where the node can; default 300, 0 for not at all. */
  readonly streamCloseDelay?: number
}

/** All that the configuration of every node is made of. */
export interface DesiredState {
  readonly sites: readonly CompiledSite[]
  readonly options: ConfigOptions
}

/** Node that a configuration is for. */
export interface NodeProfile {
  readonly admin: { readonly listen: string; readonly origins?: readonly string[]; readonly enforceOrigin?: boolean }
  readonly httpPort: number
  readonly httpsPort: number
  /** Addresses to listen on; all of the machine when none is given. */
  readonly bind?: readonly string[]
  readonly capabilities: Capabilities
  /** Folder in which Caddy keeps certificates; its default when it is not given. */
  readonly storageRoot?: string
  /** File of the access log of all sites; no access log without it. */
  readonly logFile?: string
  /** Directory of the logs of single sites. */
  readonly siteLogDirectory?: string
  /** Proxies in front of Caddy whose X-Forwarded-For counts. */
  readonly trustedProxies?: readonly string[]
  /** Absent when the node reaches no portal: protected sites are closed there. */
  readonly portal?: PortalSockets
  /** True if Caddy may put its own authority among those the machine trusts; false by default. */
  readonly installTrust?: boolean
}

/** A part that a node cannot do and that was left out. */
export interface CompileNote {
  readonly siteId: number
  readonly text: string
}
