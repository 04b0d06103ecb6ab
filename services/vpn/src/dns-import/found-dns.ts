import type { LeftOut } from '../foreign-files/given-file.ts'

/** A rule for a name. */
export interface FoundRule {
  readonly action: 'block' | 'allow'
  readonly domain: string
  readonly enabled: boolean
}

/** A client with settings of its own, or several with the same; without addresses, all clients. */
export interface FoundClient {
  readonly name: string
  /** Addresses and networks, and what else a client can be known by; null for all clients. */
  readonly addresses: readonly string[] | null
  /** Names that a peer which is this client may have. */
  readonly peerNames: readonly string[]
  /** URLs of the lists that hold for it; null for all. */
  readonly lists: readonly string[] | null
  readonly rules: readonly Omit<FoundRule, 'enabled'>[]
  /** Ids of services that are off, as they are here. */
  readonly services: readonly string[]
  readonly safeSearch: boolean
  readonly youtube: 'moderate' | null
}

/** What another DNS filter was set to, in the forms of this service. */
export interface FoundDns {
  readonly source: 'adguard-home' | 'pi-hole'
  readonly lists: readonly { readonly name: string; readonly url: string; readonly enabled: boolean }[]
  readonly rules: readonly FoundRule[]
  /** Lines of a hosts file, or of name, type and value. */
  readonly records: readonly string[]
  readonly zones: readonly { readonly zone: string; readonly servers: readonly string[] }[]
  readonly upstreams: readonly string[]
  readonly clients: readonly FoundClient[]
  readonly leftOut: readonly LeftOut[]
}

/** A name for a list that has none. */
export function titleOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'a list' : `${parsed.host} ${parsed.pathname.split('/').at(-1) ?? ''}`.trim()
}

/** The same while it is put together. */
export class DnsFinds implements FoundDns {
  readonly source: FoundDns['source']
  readonly lists: { name: string; url: string; enabled: boolean }[] = []
  readonly rules: FoundRule[] = []
  readonly records: string[] = []
  readonly zones: { zone: string; servers: string[] }[] = []
  readonly upstreams: string[] = []
  readonly clients: FoundClient[] = []
  readonly leftOut: LeftOut[] = []

  constructor(source: FoundDns['source']) {
    this.source = source
  }

  /** Adds a list; without a name it goes by host and file: the rest of its address may hold a password. */
  takeList({ name, url, enabled }: { name: string; url: string; enabled: boolean }): void {
    const title = name.trim() === '' ? titleOf(url) : name.trim()
    if (/^https?:\/\//.test(url)) this.lists.push({ name: title, url, enabled })
    else this.omit(title, 'is a list in a file of that host')
  }

  omit(about: string, reason: string): void {
    this.leftOut.push({ about: about.slice(0, 200), reason })
  }
}
