import { rawTextProblem } from '../caddy/raw-text.ts'
import type { RawLimits } from '../caddy/raw-routes.ts'
import { checkAnswers, directoryProblem } from './answer-rules.ts'
import { checkDomains } from './domain-rules.ts'
import { checkAccess, checkForwardAuth, checkUsers } from './guard-rules.ts'
import { checkHeaders } from './header-rules.ts'
import { checkPathRedirects, checkPaths } from './path-rules.ts'
import type { FieldIssue, Report, RuleContext, SiteToCheck } from './rule-context.ts'
import { checkTls } from './tls-rules.ts'
import { checkProxy, upstreamProblem } from './upstream-rules.ts'

/** Result of the rules for a site. With any error it must not be stored; warnings are shown. */
export interface RuleOutcome {
  readonly errors: readonly FieldIssue[]
  readonly warnings: readonly FieldIssue[]
}

/**
 * Checks everything about a site that its shape does not show: members that belong together, other sites, addresses that must not
 * be reached. All findings come at once, in the order of the members.
 */
export function checkSite(site: SiteToCheck, context: RuleContext): RuleOutcome {
  const errors: FieldIssue[] = []
  const warnings: FieldIssue[] = []
  const report: Report = (field, message) => void errors.push({ field, message })
  const warn: Report = (field, message) => void warnings.push({ field, message })
  const both = { report, warn }
  checkName(site, context, report)
  checkDomains(site, context, both)
  checkKind(site, context, report)
  checkProxy('', site, { ...both, context })
  checkAnswers('', site, { context, report })
  checkTls(site, context, both)
  checkHeaders('request_headers', site.request_headers, report)
  checkHeaders('response_headers', site.response_headers, report)
  checkUsers(site, context, report)
  checkForwardAuth(site, { ...both, context })
  checkAccess(site, report)
  checkPaths(site, { ...both, context })
  checkPathRedirects(site, report)
  return { errors, warnings }
}

/** Returns the bounds of raw directives: the same as those of the members of a site. */
export function rawLimitsOf(context: RuleContext): RawLimits {
  return {
    rootProblem: (root) => directoryProblem(root, context.staticBases),
    upstreamProblem: (url) => upstreamProblem(url, context),
  }
}

function checkName({ site_name: name }: SiteToCheck, context: RuleContext, report: Report): void {
  const owner = context.siteOfName(name)
  if (owner !== undefined && owner !== context.siteId) report('site_name', 'is the name of another site')
}

function checkKind(site: SiteToCheck, context: RuleContext, report: Report): void {
  if (site.kind !== 'raw') {
    if (context.hasNewDirectives && !context.allowsRaw)
      report('raw_directives', 'are not allowed; the setting allow_raw has to be on')
    return
  }
  if (!context.allowsRaw) report('kind', 'raw is not allowed; the setting allow_raw has to be on')
  const text = site.raw_directives ?? ''
  if (text.trim() === '') report('raw_directives', 'is required for a site of kind raw')
  const problem = rawTextProblem(text)
  if (problem !== undefined) report('raw_directives', problem)
}
