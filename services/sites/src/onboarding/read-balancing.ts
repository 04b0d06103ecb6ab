import { BalancingPolicy, proxyDefaults, type ProxyMembers } from '../sites/proxy-schema.ts'
import { numberOf, secondsOf, wordOf } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { Members, type Place } from './json-place.ts'
import type { SiteReading } from './site-reading.ts'

/** How requests are shared out, with the share of each upstream where that counts. */
export interface BalancingReading {
  readonly lb: ProxyMembers['lb']
  readonly weights: readonly number[]
}

/** Reads `load_balancing` of a proxy. With one upstream the policy means nothing. */
export function readBalancing(place: Place | undefined, upstreams: number, reading: SiteReading): BalancingReading {
  // Caddy's own policy is another than ours.
  const usual = { ...proxyDefaults.lb, ...(upstreams > 1 && { policy: 'random' as const }) }
  if (place === undefined) return { lb: usual, weights: [] }
  const members = new Members(place)
  const policy = members.take('selection_policy')
  const chosen = policy !== undefined && upstreams > 1 ? readPolicy(policy, reading) : { lb: {}, weights: [] }
  const retries = numberOf(members.take('retries')) ?? 0
  const duration = secondsOf(members.take('try_duration')) ?? 0
  for (const name of ['try_interval', 'retry_match']) reading.lost(members.take(name), 'fine tuning of retries')
  for (const member of members.left()) giveUp(member, 'a way to choose upstreams that sites do not have')
  return { lb: { ...usual, ...chosen.lb, retries, try_duration: duration }, weights: chosen.weights }
}

function readPolicy(
  place: Place,
  reading: SiteReading,
): { lb: Partial<ProxyMembers['lb']>; weights: readonly number[] } {
  const members = new Members(place)
  const policy = BalancingPolicy.safeParse(members.take('policy')?.value)
  if (!policy.success) giveUp(place, 'a way to choose upstreams that sites do not have')
  const name = wordOf(members.take(nameMembers[policy.data] ?? ''))
  const choose = policy.data === 'random_choose' ? numberOf(members.take('choose')) : undefined
  const weights = members.take('weights')?.value
  for (const member of members.left()) reading.lost(member, 'fine tuning of how an upstream is chosen')
  return {
    lb: { policy: policy.data, ...(name !== undefined && { name }), ...(choose !== undefined && { choose }) },
    weights: Array.isArray(weights) ? weights.map((weight) => (typeof weight === 'number' ? weight : 1)) : [],
  }
}

const nameMembers: Readonly<Record<string, string>> = { header: 'field', cookie: 'name', query: 'key' }
