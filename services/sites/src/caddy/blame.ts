import type { SitePlaces } from './site-places.ts'

/**
 * Finds the site an error of Caddy speaks of, by the positions its text names; undefined when the text names none, or several
 * sites share the position. Pure arithmetic: nothing is tried out.
 */
export function blameSite(errorText: string, places: SitePlaces): number | undefined {
  return (
    blameServer(errorText, places) ??
    only(at(places.automationPolicies, /automation policy (\d+)/.exec(errorText))) ??
    only(at(places.pemCertificates, /PEM pair (\d+)/.exec(errorText))) ??
    only(places.certificateFiles.find(({ files }) => files.some((file) => errorText.includes(file)))?.sites) ??
    blameLog(errorText, places) ??
    blameDomain(errorText, places)
  )
}

function blameServer(errorText: string, places: SitePlaces): number | undefined {
  const found = /server (\S+): (.*)/s.exec(errorText)
  if (!found) return undefined
  const [, server = '', rest = ''] = found
  const policy = /connection policy (\d+)/.exec(rest)
  if (policy) return only(at(places.connectionPolicies[server] ?? [], policy))
  const numbers = [...rest.matchAll(/\broute (\d+)/g)].map(([, number]) => Number(number))
  const [first, second] = numbers
  if (first === undefined) return undefined
  if (/error handling routes/.test(rest)) return places.errorRoutes[server]?.[first]
  const place = places.routes[server]?.[first]
  if (typeof place === 'number') return place
  if (!place) return undefined
  return second === undefined ? only(place) : place[second]
}

function blameLog(errorText: string, { domains }: SitePlaces): number | undefined {
  const id = Number(/custom log 'site-(\d+)'/.exec(errorText)?.[1])
  return [...domains.values()].includes(id) ? id : undefined
}

/**
 * The last resort: a word that is the domain of one site, in an error about names or certificates. In others it may be an address
 * that a server listens on, or that a site's upstream has.
 */
function blameDomain(errorText: string, { domains }: SitePlaces): number | undefined {
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
