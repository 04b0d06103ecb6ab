import { isIP } from 'node:net'
import { isWildcard } from '../domains.ts'
import { networkProblem } from './networks.ts'
import { pathProblem } from './path-problem.ts'
import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'

/** Checks a protected site: its rules, and that visitors can sign in at all. */
export function checkSignIn(site: SiteToCheck, { portal }: RuleContext, report: Report): void {
  const { sign_in: signIn, tls, domains, basic_auth: users, forward_auth: forward } = site
  if (signIn === null) return
  if (portal.obstacle !== undefined) report('sign_in', portal.obstacle)
  else if (portal.siteId === undefined)
    report('sign_in', 'needs an enabled site of kind portal, such as auth.example.com, on which visitors sign in')
  if (tls.mode === 'off') report('sign_in', 'needs TLS: tls.mode must not be off')
  for (const [index, domain] of domains.entries())
    if (isWildcard(domain))
      report(
        `domains.${index}`,
        'must hold no wildcard while visitors sign in: another server below it could take a sign-in over',
      )
  if (users.length > 0) report('sign_in', 'must not stand beside basic_auth')
  if (forward !== null) report('sign_in', 'must not stand beside forward_auth')
  checkGroups('sign_in.groups', signIn.groups, { portal, report })
  for (const [index, rule] of signIn.rules.entries()) {
    const field = `sign_in.rules.${index}`
    const problem = pathProblem(rule.path)
    if (problem !== undefined) report(`${field}.path`, problem)
    for (const [at, network] of rule.networks.entries()) {
      const wrong = networkProblem(network)
      if (wrong !== undefined) report(`${field}.networks.${at}`, wrong)
    }
    if (rule.access !== 'sign_in' && rule.groups.length > 0)
      report(`${field}.groups`, 'must be empty unless access is sign_in')
    checkGroups(`${field}.groups`, rule.groups, { portal, report })
  }
}

function checkGroups(
  field: string,
  groups: readonly string[],
  { portal, report }: Pick<RuleContext, 'portal'> & { readonly report: Report },
): void {
  for (const [index, group] of groups.entries())
    if (!portal.groups.has(group)) report(`${field}.${index}`, `names a group that there is not: ${group}`)
}

/** Checks the site on which visitors sign in. */
export function checkPortal(site: SiteToCheck, { portal, siteId }: RuleContext, report: Report): void {
  if (site.kind !== 'portal') return
  const [domain = ''] = site.domains
  if (portal.obstacle !== undefined) report('kind', `portal ${portal.obstacle}`)
  if (site.enabled && portal.siteId !== undefined && portal.siteId !== siteId)
    report('kind', 'portal is possible for one enabled site only, and there is one')
  if (site.domains.length > 1 || isWildcard(domain) || isIP(domain) !== 0)
    report('domains', 'must be one name without a wildcard for the kind portal')
  if (site.tls.mode === 'off') report('tls.mode', 'must not be off for the kind portal')
  for (const member of ['sign_in', 'forward_auth'] as const)
    if (site[member] !== null) report(member, 'is not possible for the kind portal')
  for (const member of ['basic_auth', 'paths', 'redirects'] as const)
    if (site[member].length > 0) report(member, 'must be empty for the kind portal')
}
