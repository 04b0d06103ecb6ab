import type { DomainIndex } from '../domains.ts'
import type { SiteCreate } from '../schema.ts'

/** An error or warning about one member of a site. `field` is its path, such as `upstreams.0.url`. */
export interface FieldIssue {
  readonly field: string
  readonly message: string
}

/** Context that the rules check a site against. */
export interface RuleContext {
  /** The site that is changed; undefined for a new one. */
  readonly siteId: number | undefined
  /** Domains of all sites. */
  readonly domains: DomainIndex
  /** The site of a name, upper and lower case alike. */
  readonly siteOfName: (name: string) => number | undefined
  /** Users of basic authentication whose passwords are stored. */
  readonly storedUsers: readonly string[]
  /** Addresses of Caddy's admin API and this service: `host:port` or `unix//path`. */
  readonly protectedAddresses: readonly string[]
  /** Host names by which this service is reached. */
  readonly protectedHosts: readonly string[]
  /** Names and addresses of this machine beside the loopback ones. */
  readonly localHosts: readonly string[]
  /** Ports Caddy serves sites on. */
  readonly listenPorts: readonly number[]
  /** Directories that static sites may serve from. */
  readonly staticBases: readonly string[]
  /** Directories with sockets that may be upstreams. */
  readonly socketDirectories: readonly string[]
  /** True if an endpoint decides about on-demand certificates. */
  readonly hasOnDemandAsk: boolean
  /** The portal that protected sites need. */
  readonly portal: {
    /** Why no Caddy reaches it; undefined when the one that this service runs itself does. */
    readonly obstacle: string | undefined
    /** The site on which visitors sign in. */
    readonly siteId: number | undefined
    /** Names of the groups of users. */
    readonly groups: ReadonlySet<string>
  }
  /** Status pages that everybody may see, by the last part of their address. */
  readonly statusPages: ReadonlySet<string>
  readonly allowsRaw: boolean
  /** True if directives were sent, also for a site of another kind. */
  readonly hasNewDirectives: boolean
  readonly hasCertificate: (id: number) => boolean
  readonly hasAuthority: (id: number) => boolean
}

/** A site as it would be stored: all members, passwords only where they are new. */
export type SiteToCheck = SiteCreate

/** Takes what a rule finds. */
export type Report = (field: string, message: string) => void
