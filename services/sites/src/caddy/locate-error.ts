/** The site, or the sites of a bucket, that a route of a server belongs to; null for routes of no site. */
export type RouteOwner = number | readonly number[] | null

/** Positions of sites in a configuration, to trace an error of Caddy back to its site. All lists go by position. */
export interface SitePositions {
  /** Routes of each server. A bucket lists the sites of its inner routes. */
  readonly routes: Readonly<Record<string, readonly RouteOwner[]>>
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

/**
 * Finds the site an error of Caddy speaks of, by the positions its text names; undefined when the text names none, or several
 * sites share the position. Pure arithmetic: nothing is tried out.
 */
export function locateError(errorText: string, positions: SitePositions): number | undefined {
  return (
    locateInServer(errorText, positions) ??
    only(at(positions.automationPolicies, /automation policy (\d+)/.exec(errorText))) ??
    only(at(positions.pemCertificates, /PEM pair (\d+)/.exec(errorText))) ??
    only(positions.certificateFiles.find(({ files }) => files.some((file) => errorText.includes(file)))?.sites) ??
    locateLog(errorText, positions) ??
    locateDomain(errorText, positions)
  )
}

function locateInServer(errorText: string, positions: SitePositions): number | undefined {
  const found = /server (\S+): (.*)/s.exec(errorText)
  if (!found) return undefined
  const [, server = '', rest = ''] = found
  const policy = /connection policy (\d+)/.exec(rest)
  if (policy) return only(at(positions.connectionPolicies[server] ?? [], policy))
  const numbers = [...rest.matchAll(/\broute (\d+)/g)].map(([, number]) => Number(number))
  const [first, second] = numbers
  if (first === undefined) return undefined
  if (/error handling routes/.test(rest)) return positions.errorRoutes[server]?.[first]
  const owner = positions.routes[server]?.[first]
  if (typeof owner === 'number') return owner
  if (!owner) return undefined
  return second === undefined ? only(owner) : owner[second]
}

function locateLog(errorText: string, { domains }: SitePositions): number | undefined {
  const id = Number(/custom log 'site-(\d+)'/.exec(errorText)?.[1])
  return [...domains.values()].includes(id) ? id : undefined
}

/**
 * The last resort: a word that is the domain of one site, in an error about names or certificates. In others it may be an address
 * that a server listens on, or that a site's upstream has.
 */
function locateDomain(errorText: string, { domains }: SitePositions): number | undefined {
  if (!/\b(hosts?|subjects?|certificates?|domains?)\b/i.test(errorText)) return undefined
  if (/\b(listen\w*|bind|dial|lookup|connect)\b/i.test(errorText)) return undefined
  const words = [...errorText.matchAll(/[A-Za-z0-9*._-]+/g)].map(([word]) => word.replace(/\.$/, ''))
  return only([...new Set(words.flatMap((word) => domains.get(word) ?? []))])
}

function at<T>(list: readonly T[], match: RegExpExecArray | null): T | undefined {
  return match?.[1] === undefined ? undefined : list[Number(match[1])]
}

function only(sites: readonly number[] | undefined): number | undefined {
  return sites?.length === 1 ? sites[0] : undefined
}
