import { readUpstreamUrl } from '../../sites/upstream-url.ts'
import { numberIn, textIn } from './npm-access.ts'
import { isObject } from '../config/json-location.ts'
import type { SiteInput } from '../config/read-config.ts'

/** Target of forwarded requests. */
export interface NpmUpstream {
  readonly scheme: string
  readonly host: string
  readonly port: number
}

/** The upstream of a host or location; undefined when it is more than a server and its port. nginx checks no certificates. */
export function upstreamOf({
  scheme,
  host,
  port,
}: NpmUpstream): Pick<SiteInput, 'upstreams' | 'upstream_tls'> | undefined {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const url = `${scheme}://${name}:${port}`
  if ((scheme !== 'http' && scheme !== 'https') || 'problem' in readUpstreamUrl(url)) return undefined
  return { upstreams: [{ url }], ...(scheme === 'https' && { upstream_tls: { verify: false } }) }
}

/** Reads the locations of a host as paths; those that cannot be are noted as lost. */
export function readLocations(
  locations: unknown,
  note: (outcome: 'changed' | 'lost', what: string) => void,
): NonNullable<SiteInput['paths']> {
  if (!Array.isArray(locations)) return []
  return locations.slice(0, 1000).flatMap((location) => {
    if (!isObject(location)) return []
    const text = textIn(location, 'path')
    const shown = text.slice(0, 100)
    const path = readPath(text)
    const upstream = upstreamOf({
      scheme: textIn(location, 'forward_scheme') || 'http',
      host: textIn(location, 'forward_host'),
      port: numberIn(location, 'forward_port'),
    })
    if (path === undefined || upstream === undefined) {
      note('lost', `the location ${shown}, which is found by a pattern or forwarded to a path`)
      return []
    }
    if (path.match === 'prefix' && !text.endsWith('/'))
      note('changed', `the location ${shown} no longer takes what begins so without a slash after it`)
    if (textIn(location, 'advanced_config').trim() !== '') note('lost', `directives of nginx in the location ${shown}`)
    return [{ ...path, kind: 'proxy' as const, ...upstream }]
  })
}

/** nginx takes what begins with the path; `=` means the path alone, `~` a pattern. */
function readPath(text: string): { match: 'prefix' | 'exact'; path: string } | undefined {
  const exact = /^=\s*(\/[^\s{}*]*)$/.exec(text)?.[1]
  if (exact !== undefined) return { match: 'exact', path: exact }
  const prefix = /^(?:\^~\s*)?(\/[^\s{}*]*)$/.exec(text)?.[1]
  return prefix === undefined ? undefined : { match: 'prefix', path: prefix }
}
