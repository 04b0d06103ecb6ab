import { badRequest } from '../problems.ts'
import { networksOfReach, type ReachNetworks } from '../sites/reach-schema.ts'
import { isNetworkMember } from '../sites/rules/networks.ts'
import { decide, type Decision, type PortalUser } from './decide.ts'
import type { PortalSnapshot, ProtectedSite, SiteOfHost } from './portal-state.ts'
import type { VisitExplain, VisitExplanation } from './schema.ts'

/** Explains why somebody may, or may not, reach an address. It is decided as a request would be, and nothing is sent. */
export function explainVisit(
  visit: VisitExplain,
  snapshot: PortalSnapshot | undefined,
  networks: ReachNetworks,
): VisitExplanation {
  if (!URL.canParse(visit.url)) throw badRequest('url must be an address such as https://files.example.org/page')
  const url = new URL(visit.url)
  const base = { site_id: null, rule: null } as const
  if (snapshot === undefined)
    return {
      ...base,
      outcome: 'closed',
      reason: 'The database could not be read for a minute, so protected sites are closed.',
    }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const owner = snapshot.ownerOf(host)
  if (owner === undefined) return { ...base, outcome: 'allow', reason: 'No protected site has this host.' }
  const about = { ...base, site_id: owner.id }
  const refused = reachRefusal(owner, visit.client_ip, networks)
  if (refused !== undefined) return { ...about, ...refused }
  if (!owner.isProtected)
    return { ...about, outcome: 'allow', reason: `Visitors of the site ${owner.name} do not sign in.` }
  const site = snapshot.sites.get(owner.id)
  if (site === undefined)
    return {
      ...about,
      outcome: 'closed',
      reason: `The rules of the site ${owner.name} cannot be read, so it is closed.`,
    }
  const user = visit.user_id === null ? undefined : snapshot.users.get(visit.user_id)
  // Browsers and URL parsers clean a path; the request may arrive as it was typed.
  const [, target = ''] = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(visit.url) ?? []
  const request = {
    method: visit.method,
    target: target.startsWith('/') ? target : `/${target}`,
    address: visit.client_ip,
  }
  const decision = decide(site.signIn, request, user)
  const known = { site_id: site.id, rule: decision.rule === undefined ? null : decision.rule + 1 }
  if (user === undefined && visit.user_id !== null && decision.outcome === 'sign_in')
    return {
      ...known,
      outcome: 'forbidden',
      reason: 'This user cannot sign in: disabled, or the password must be changed.',
    }
  return { ...known, outcome: decision.outcome, reason: reasonOf(decision, site, user) }
}

/** What keeps a visitor from a site that is not for everyone, before anything else; undefined when nothing does. */
function reachRefusal(
  { name, reach }: SiteOfHost,
  address: string | undefined,
  networks: ReachNetworks,
): Pick<VisitExplanation, 'outcome' | 'reason'> | undefined {
  const ranges = networksOfReach(reach, networks)
  if (ranges === undefined) return undefined
  const where = reach === 'home' ? 'from home and the VPN' : 'through the VPN'
  if (ranges.length === 0)
    return {
      outcome: 'closed',
      reason: `The site ${name} is reached ${where} only, and it is not known yet which networks those are.`,
    }
  if (address !== undefined && isNetworkMember(address, ranges)) return undefined
  const from = address === undefined ? 'an address that is not given' : address
  return { outcome: 'forbidden', reason: `The site ${name} is reached ${where} only, and not from ${from}.` }
}

function reasonOf(decision: Decision, site: ProtectedSite, user: PortalUser | undefined): string {
  const rule = decision.rule === undefined ? undefined : site.signIn.rules[decision.rule]
  const where =
    rule === undefined ? `The site ${site.name}` : `Rule ${(decision.rule ?? 0) + 1} of the site ${site.name}`
  const { access, groups } = rule ?? site.signIn.otherwise
  const several = decision.isAmbiguous
    ? ' Servers read this path in different ways, or the address of the visitor is not known, so every rule that may apply has to agree.'
    : ''
  if (access === 'open') return `${where} is open to everybody.${several}`
  if (access === 'denied') return `${where} lets nobody pass.${several}`
  const who = groups.length === 0 ? 'every user who signed in' : `members of ${groups.join(', ')}`
  if (user === undefined) return `${where} lets ${who} pass, so the visitor has to sign in.${several}`
  const state =
    decision.outcome === 'allow'
      ? `and ${user.username} is one of them`
      : `and ${user.username} is in ${user.groups.size === 0 ? 'no group' : [...user.groups].join(', ')}`
  return `${where} lets ${who} pass, ${state}.${several}`
}
