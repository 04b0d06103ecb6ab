import { hasControlCharacters, headerNameProblem } from './header-rules.ts'
import { networkProblem } from './networks.ts'
import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'
import { checkUpstream, type AddressChecks } from './upstream-rules.ts'

/** Users of basic authentication: different names, passwords for new ones, as long as bcrypt reads. */
export function checkUsers({ basic_auth: users }: SiteToCheck, context: RuleContext, report: Report): void {
  const seen = new Set<string>()
  for (const [index, { username, password }] of users.entries()) {
    const field = `basic_auth.${index}`
    if (seen.has(username)) report(`${field}.username`, 'is there twice')
    seen.add(username)
    if (/[:{}]/.test(username) || hasControlCharacters(username))
      report(`${field}.username`, 'must not hold colons, braces or control characters')
    if (password === undefined && !context.storedUsers.includes(username))
      report('basic_auth', `${username} needs a password`)
    if (password !== undefined && Buffer.byteLength(password) > 72)
      report(`${field}.password`, 'must have at most 72 bytes')
  }
}

/** Checks forward authentication: its server is an upstream like others, and copied headers are ones that may be set. */
export function checkForwardAuth({ forward_auth: forward }: SiteToCheck, checks: AddressChecks): void {
  if (forward === null) return
  checkUpstream('forward_auth.url', forward.url, checks)
  if (!/^\/[^\s{}#\\]*$/.test(forward.uri))
    checks.report('forward_auth.uri', 'must start with / and hold no blanks, braces or #')
  for (const [index, name] of forward.copy_headers.entries()) {
    const problem = headerNameProblem(name)
    if (problem !== undefined) checks.report(`forward_auth.copy_headers.${index}`, problem)
  }
}

/** Checks that the access and maintenance lists contain valid networks. */
export function checkAccess({ access, maintenance }: SiteToCheck, report: Report): void {
  const lists = { 'access.allow': access.allow, 'access.deny': access.deny, 'maintenance.allow': maintenance.allow }
  for (const [field, networks] of Object.entries(lists))
    for (const [index, network] of networks.entries()) {
      const problem = networkProblem(network)
      if (problem !== undefined) report(`${field}.${index}`, problem)
    }
}
