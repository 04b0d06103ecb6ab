import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { badRequest, Problem } from '../problems.ts'
import { asciiName } from '../lists/domain-name.ts'
import { reasonName } from '../query-log/query-view.ts'
import { localZones } from '../dns/policy/local-zones.data.ts'
import { Reason, Status, peerNameSource, safeSearchSource } from '../dns/policy/verdict.ts'
import type { ExplainRequest, Explanation } from '../resolver/messages.ts'
import { findClient } from './rules/rules.ts'
import type { ExplainedProfile } from './profiles/schema.ts'
import type { DnsExplanation, ExplainQuery } from './schema.ts'

/** A rule as people are told of it. */
export interface RuleName {
  /** Null for one of a profile. */
  readonly id: string | null
  readonly text: string
  /** The peer it is for. */
  readonly client: string | null
  /** Whose rule it is, when it is one of a profile. */
  readonly from?: string
}

/** Names of the lists, rules and clients behind the resolver's numbers. */
export interface PolicyNames {
  rule(number: number): RuleName | undefined
  list(number: number): { readonly id: string; readonly name: string } | undefined
}

export interface ExplainDependencies {
  readonly db: Kysely<Tables>
  readonly names: PolicyNames
  readonly explainName: (question: ExplainRequest) => Promise<Explanation>
  /** The profile of a peer, given by id, when the resolver goes by the one with the number `holds`. */
  readonly profileOf: (peer: { id: string; name: string }, holds: number) => Promise<ExplainedProfile | null>
}

/** Explains why a name is answered as it is for a client. The resolver itself answers, from the policy in force. */
export async function explain(dependencies: ExplainDependencies, question: ExplainQuery): Promise<DnsExplanation> {
  const domain = asciiName(question.domain.trim())
  if (domain === undefined) throw badRequest('domain must be a domain name')
  const client = question.client === undefined ? undefined : await findClient(dependencies.db, question.client)
  if (question.client !== undefined && client === undefined) throw badRequest('client is no peer’s name, id or address')
  const answer = dependencies.explainName({
    domain,
    client: client?.dns_number ?? 0,
    resolve: question.resolve === 'true',
    qtype: question.type,
  })
  const found = await orUnavailable(answer)
  const profile = client === undefined ? null : await dependencies.profileOf(client, found.profile.holds)
  const matches = found.matches.map((match) => shownMatch(dependencies.names, match))
  const isBlocked = found.verdict.status === Status.blocked
  return {
    domain,
    client: client?.name ?? null,
    status: isBlocked ? 'blocked' : 'allowed',
    reason: reasonName(found.verdict.reason),
    decided_by: decisionText(found, matches, profile),
    name: found.name,
    cnames: [...found.cnames],
    zone: found.zone,
    server: found.server,
    profile,
    matches,
    flip: flipOf(found, { domain, client: client?.name, profile }),
  }
}

type Shown = DnsExplanation['matches'][number]

function shownMatch(names: PolicyNames, match: Explanation['matches'][number]): Shown {
  const of = namedSource(names, match)
  return {
    kind: match.kind,
    action: match.action,
    scope: match.scope,
    name: match.name,
    text: of !== undefined && 'text' in of ? of.text : match.text,
    important: match.important,
    modifiers: [...match.modifiers],
    id: of?.id ?? null,
    source: sourceName(match, of),
    deciding: match.isDeciding,
  }
}

function namedSource(names: PolicyNames, { kind, source }: Explanation['matches'][number]) {
  if (kind === 'record') return undefined
  return kind === 'rule' ? names.rule(source) : names.list(source)
}

interface NamedSource {
  readonly name?: string
  readonly client?: string | null
  readonly from?: string
}

/** What local names are called that no operator wrote. */
const recordNames: Readonly<Record<number, string>> = {
  [peerNameSource]: 'Names of peers',
  [safeSearchSource]: 'Safe search of the profile',
}

function sourceName(match: Explanation['matches'][number], of: NamedSource | undefined) {
  if (match.kind === 'record') return recordNames[match.source] ?? 'Local record'
  if (match.kind === 'list') return of?.name ?? 'a list that is gone'
  if (match.scope === 'profile') return of?.from ?? 'Rule of a profile'
  return match.scope === 'client' ? `Rule for ${of?.client ?? 'this client'}` : 'Rule for everyone'
}

function decisionText(
  { verdict, name, cnames, zone }: Explanation,
  matches: readonly Shown[],
  profile: ExplainedProfile | null,
): string {
  const deciding = matches.find((match) => match.deciding)
  if (verdict.reason === Reason.address && deciding !== undefined)
    return `${deciding.source}: ${deciding.text} (an address in its answer)`
  const through = cnames.includes(name) ? ` (it points to ${name})` : ''
  if (deciding !== undefined) return `${deciding.source}: ${deciding.text}${through}`
  if (verdict.reason === Reason.off)
    return isPaused(profile) ? `The profile ${profile.holds.name} is paused` : 'Filtering is paused or off'
  if (verdict.reason === Reason.special) return 'A name with which devices find out whether they may bypass the filter'
  if (verdict.reason === Reason.privateAnswer)
    return 'Its answer is an address of a private network, which public names may not have (DNS rebinding)'
  if (verdict.reason === Reason.local) return localText(verdict.source)
  return zone === null ? 'Nothing matches' : `Nothing matches; the servers of the zone ${zone} are asked`
}

function localText(zone: number): string {
  const { domain = '', source = '' } = localZones[zone] ?? {}
  return `The resolver itself answers: ${domain} belongs to the local network (${source}), and no upstream is queried`
}

function flipOf(
  { verdict }: Explanation,
  { domain, client, profile }: { domain: string; client: string | undefined; profile: ExplainedProfile | null },
): string | null {
  if (verdict.reason === Reason.off)
    return isPaused(profile) ? `End the pause of the profile ${profile.holds.name}` : 'Switch filtering on'
  const action = verdict.status === Status.blocked ? 'Allow' : 'Block'
  return `${action} ${domain}${client === undefined ? '' : ` for ${client}`}`
}

/** True when a profile holds and is paused. */
const isPaused = (
  profile: ExplainedProfile | null,
): profile is ExplainedProfile & { holds: NonNullable<ExplainedProfile['holds']> } =>
  profile !== null && profile.paused_until !== null && profile.holds !== null

async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new Problem('internal', 'The resolver does not answer at the moment; try again', { cause: error })
  }
}
