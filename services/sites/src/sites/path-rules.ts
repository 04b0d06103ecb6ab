import { checkAnswers, checkTarget } from './answer-rules.ts'
import { checkHeaders } from './header-rules.ts'
import type { Report, SiteToCheck } from './rule-context.ts'
import { checkProxy, type AddressChecks } from './upstream-rules.ts'

/** Paths of a site: readable, different, and each right for its kind. */
export function checkPaths({ paths }: SiteToCheck, checks: AddressChecks): void {
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
export function checkPathRedirects({ redirects }: SiteToCheck, report: Report): void {
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

/** Paths are compared after Caddy has decoded and cleaned them, so what cleaning would change never matches. */
function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must start with /'
  if (!/^[\p{L}\p{N}._~!$&'()+,;=:@/-]+$/u.test(path)) return 'must hold no blanks, wildcards, braces, %, ? or #'
  const parts = path.split('/').slice(1, -1)
  return parts.includes('') || path.split('/').some((part) => part === '.' || part === '..')
    ? 'must not hold empty parts, . or ..'
    : undefined
}
