import { readUpstreamUrl } from '../../sites/upstream-url.ts'
import type { SiteInput } from '../config/read-config.ts'
import type { Definition } from './zoraxy-files.ts'

/** Members of a site or path that its upstreams have. */
export type ProxyInput = Pick<SiteInput, 'upstreams' | 'upstream_tls' | 'lb'>

type Note = (outcome: 'changed' | 'lost', what: string) => void

/** Upstreams at most. */
const maxUpstreams = 64

/** Reads where a rule leads: origins in use, and whether a visitor stays with one. */
export function readOrigins(
  rule: Definition,
  origins: readonly Definition[],
  note: Note,
): ProxyInput | { readonly problem: string } {
  // Of weight 0 are those that are asked when no other one answers.
  const regular = origins.filter(({ Weight: weight }) => weight !== 0)
  const used = regular.length > 0 ? regular : origins
  if (used.length < origins.length) note('lost', 'origins that are there for when no other one answers')
  if (used.length > maxUpstreams)
    note('lost', `${used.length - maxUpstreams} origins more than the ${maxUpstreams} of a site`)
  const read = used.slice(0, maxUpstreams).map(urlOf)
  const wrong = read.find((url) => 'problem' in readUpstreamUrl(url))
  if (read.length === 0) return { problem: 'a rule without origins in use' }
  if (wrong !== undefined) return { problem: `the origin ${wrong.slice(0, 200)}, which is more than a host and a port` }
  const secure = used.filter(isSecure)
  if (secure.length > 0 && secure.length < used.length)
    return { problem: 'origins with TLS beside others without, which Caddy does not mix' }
  const isUnchecked = secure.some((origin) => origin['SkipCertValidations'] === true)
  if (isUnchecked && secure.some((origin) => origin['SkipCertValidations'] !== true))
    note('changed', 'certificates of origins are checked for none now, as for one of them before')
  const { lb, weights } = readBalancing(rule, used, note)
  return {
    upstreams: read.map((url, index) => Object.assign({ url }, weights[index])),
    ...(isUnchecked && { upstream_tls: { verify: false } }),
    ...(lb && { lb }),
  }
}

/** How requests are shared out, and the share of each origin where they differ. */
function readBalancing(rule: Definition, used: readonly Definition[], note: Note) {
  const weights = used.map(({ Weight: weight }) =>
    typeof weight === 'number' && weight >= 1 ? Math.min(1000, Math.trunc(weight)) : 1,
  )
  const isWeighted = new Set(weights).size > 1
  if (rule['UseStickySession'] === true && used.length > 1) {
    if (isWeighted) note('lost', 'the weights of origins, because visitors stay with one')
    return { lb: { policy: 'cookie' as const, name: 'lb' }, weights: [] }
  }
  if (!isWeighted) return { lb: undefined, weights: [] }
  return { lb: { policy: 'weighted_round_robin' as const }, weights: weights.map((weight) => ({ weight })) }
}

const isSecure = ({ RequireTLS: secure }: Definition): boolean => secure === true

/** The address of an origin; a path of `/` alone is none. */
function urlOf(origin: Definition): string {
  const place = typeof origin['OriginIpOrDomain'] === 'string' ? origin['OriginIpOrDomain'].trim() : ''
  return `${isSecure(origin) ? 'https' : 'http'}://${place}`
}
