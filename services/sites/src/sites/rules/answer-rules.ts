import { placeholderProblem } from '../placeholders.ts'
import type { AnswerMembers } from '../proxy-schema.ts'
import { hasControlCharacters } from './header-rules.ts'
import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'

/** Checks a site or a path as far as Caddy answers itself. `prefix` is the path of its members. */
export function checkAnswers(
  prefix: string,
  target: AnswerMembers & Pick<SiteToCheck, 'kind'>,
  { context, report }: { context: RuleContext; report: Report },
): void {
  const { kind, redirect, static: files, respond } = target
  const members = { redirect, static: files, respond }
  if (kind in members && members[kind as keyof typeof members] === null)
    report(`${prefix}${kind}`, `is required for the kind ${kind}`)
  if (redirect !== null) checkTarget(`${prefix}redirect.to`, redirect, report)
  if (redirect !== null && prefix === '' && /^\/(?![/\\])/.test(redirect.to))
    report('redirect.to', 'must be an http or https address: a path of the same site would lead to itself')
  if (files !== null) checkStatic(prefix, files, { context, report })
  if (respond !== null) checkRespond(prefix, respond, report)
}

/** Checks the target of a redirect: an address or a path; a placeholder in the host may only be the host of the request. */
export function checkTarget(
  field: string,
  { to, keep_path: keepsPath }: { readonly to: string; readonly keep_path: boolean },
  report: Report,
): void {
  const isPath = /^\/(?![/\\])/.test(to)
  const [, authority] = /^https?:\/\/([^/?#\\]+)/i.exec(to) ?? []
  if (!isPath && authority === undefined)
    return report(field, 'must be an http or https address, or a path that starts with one /')
  if (/[\s\\]/.test(to) || hasControlCharacters(to))
    report(field, 'must not hold blanks, backslashes or control characters')
  const placeholder = placeholderProblem(to)
  if (placeholder !== undefined) report(field, placeholder)
  const host = (authority ?? '').replaceAll(/\{http\.request\.(host|hostport|host\.labels\.\d+)\}/g, 'x')
  if (/[{}@]/.test(host)) report(field, 'must name a fixed host, or the host of the request')
  if (keepsPath && /[?#]/.test(to)) report(field, 'must not hold ? or # when the path of the request is appended')
}

function checkStatic(
  prefix: string,
  files: NonNullable<AnswerMembers['static']>,
  { context, report }: { context: RuleContext; report: Report },
): void {
  const field = `${prefix}static`
  const problem = directoryProblem(files.root, context.staticBases)
  if (problem !== undefined) report(`${field}.root`, problem)
  for (const [index, name] of files.index.entries())
    if (!isFileName(name)) report(`${field}.index.${index}`, 'must be the plain name of a file')
  const { fallback } = files
  if (fallback !== null && !(fallback.startsWith('/') && fallback.slice(1).split('/').every(isFileName)))
    report(`${field}.fallback`, 'must be the path of a file below the root, starting with /')
}

function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\{}*?[\]\p{Cc}]/u.test(name)
}

/**
 * Returns the reason why a directory must not be served, or undefined. Only the text is judged here; that no link points out of the bases is checked
 * where files are.
 */
export function directoryProblem(root: string, bases: readonly string[]): string | undefined {
  if (!root.startsWith('/') || /[{}*?[\]\p{Cc}\\]/u.test(root))
    return 'must be an absolute path without braces or wildcards'
  const parts = root.slice(1).replace(/\/$/, '').split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'must not hold empty parts, . or ..'
  const isBelow = bases.some((base) => `${root.replace(/\/$/, '')}/`.startsWith(`${base.replace(/\/$/, '')}/`))
  if (isBelow) return undefined
  return bases.length === 0
    ? 'is not possible: no directory is configured for static sites'
    : `must be below ${bases.join(' or ')}`
}

function checkRespond(prefix: string, respond: NonNullable<AnswerMembers['respond']>, report: Report): void {
  const { content_type: type, body } = respond
  if (hasControlCharacters(type) || /[{}]/.test(type)) report(`${prefix}respond.content_type`, 'must be a media type')
  const placeholder = placeholderProblem(body)
  if (placeholder !== undefined) report(`${prefix}respond.body`, placeholder)
}
