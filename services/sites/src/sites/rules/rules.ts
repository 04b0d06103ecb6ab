import { checkAnswers, checkTarget, directoryProblem } from './answer-rules.ts'
import { checkDomains, checkTls } from './domain-rules.ts'
import { checkAccess, checkForwardAuth, checkUsers } from './guard-rules.ts'
import { pathProblem } from './path-problem.ts'
import { checkPortal, checkSignIn } from './sign-in-rules.ts'
import { checkStatus } from './status-rules.ts'
import { checkHeaders } from './header-rules.ts'
import type { RawLimits } from '../raw/raw-routes.ts'
import { rawTextProblem } from '../raw/raw-text.ts'
import type { FieldIssue, Report, RuleContext, SiteToCheck } from './rule-context.ts'
import { type AddressChecks, checkProxy, upstreamProblem } from './upstream-rules.ts'

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
  checkSignIn(site, context, report)
  checkPortal(site, context, report)
  checkStatus(site, context, report)
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

/** Paths of a site: readable, different, and each right for its kind. */
function checkPaths({ paths }: SiteToCheck, checks: AddressChecks): void {
  const seen = new Set<string>()
  for (const [index, path] of paths.entries()) {
    const prefix = `paths.${index}.`
    const problem = pathProblem(path.path)
    if (problem !== undefined) checks.report(`${prefix}path`, problem)
    const key = `${path.match} ${path.path.toLowerCase().replace(/\/+$/, path.match === 'exact' ? '$&' : '')}`
    if (seen.has(key)) checks.report(`${prefix}path`, 'is there twice')
    seen.add(key)
    checkProxy(prefix, path, checks)
    checkAnswers(prefix, path, checks)
    const { redirect } = path
    const from = path.match === 'exact' ? path.path : `${path.path.replace(/\/+$/, '')}/*`
    if (redirect !== null && isWithin(redirect.to, from)) checks.report(`${prefix}redirect.to`, 'would lead to itself')
    checkHeaders(`${prefix}request_headers`, path.request_headers, checks.report)
    checkHeaders(`${prefix}response_headers`, path.response_headers, checks.report)
  }
}

/** Redirects of single paths. */
function checkPathRedirects({ redirects }: SiteToCheck, report: Report): void {
  const seen = new Set<string>()
  for (const [index, redirect] of redirects.entries()) {
    const field = `redirects.${index}`
    const { from, to, keep_path: keepsPath } = redirect
    const problem = pathProblem(from.replace(/\/\*$/, '/'))
    if (problem !== undefined) report(`${field}.from`, problem)
    if (seen.has(from.toLowerCase())) report(`${field}.from`, 'is there twice')
    seen.add(from.toLowerCase())
    if (keepsPath && !from.endsWith('/*')) report(`${field}.keep_path`, 'needs a path that ends with /*')
    checkTarget(`${field}.to`, redirect, report)
    if (isWithin(to, from)) report(`${field}.to`, 'would lead to itself')
  }
}

function isWithin(to: string, from: string): boolean {
  if (!from.endsWith('/*')) return to.toLowerCase() === from.toLowerCase()
  const prefix = from.slice(0, -2).toLowerCase()
  return to.startsWith('/') && (to.toLowerCase() === prefix || to.toLowerCase().startsWith(`${prefix}/`))
}
