import { phraseOfZodIssue } from '@hearth/http'
import { SiteCreate } from '../sites/schema.ts'
import type { ImportedSite } from './read-config.ts'

/** The sites there are already. */
export interface ExistingSites {
  /** Names in lower case. */
  readonly names: ReadonlySet<string>
  /** The name of the site of each domain. */
  readonly domains: ReadonlyMap<string, string>
}

/** A part of a site that cannot be. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** What is to become of one site that was found. */
export type PlannedSite = { readonly found: ImportedSite; readonly name: string } & (
  | { readonly status: 'new'; readonly input: SiteCreate; readonly renamedFrom: string | null }
  | { readonly status: 'conflicting' | 'invalid'; readonly problems: readonly FieldProblem[] }
)

/** Rules about sites beyond their schema, such as what an upstream may be. */
export type SiteRules = (site: SiteCreate) => readonly FieldProblem[]

/**
 * Decides which of the found sites can be created beside those there are, in their order: one that lacks a valid member is
 * invalid, one whose domain belongs to another site, also one found earlier, is conflicting, and one whose name is taken gets
 * another name.
 */
export function planImport(
  found: readonly ImportedSite[],
  existing: ExistingSites,
  rules: SiteRules = () => [],
): PlannedSite[] {
  const names = new Set(existing.names)
  const domains = new Map(existing.domains)
  return found.map((site) => {
    const name = site.site.site_name ?? ''
    const parsed = SiteCreate.safeParse(site.site)
    const problems = parsed.success
      ? rules(parsed.data)
      : parsed.error.issues.map((issue) => ({ field: issue.path.join('.'), message: phraseOfZodIssue(issue) }))
    if (!parsed.success || problems.length > 0) return { found: site, name, status: 'invalid', problems }
    const input = parsed.data
    const taken = input.domains.filter((domain) => domains.has(domain))
    if (taken.length > 0) {
      const problems = taken.map((domain) => ({
        field: 'domains',
        message: `${domain} belongs to the site ${domains.get(domain)}`,
      }))
      return { found: site, name, status: 'conflicting', problems }
    }
    const free = freeName(input.site_name, names)
    names.add(free.toLowerCase())
    for (const domain of input.domains) domains.set(domain, free)
    const renamedFrom = free === input.site_name ? null : input.site_name
    return { found: site, name: free, status: 'new', input: { ...input, site_name: free }, renamedFrom }
  })
}

/** The name, or the name with the first number that makes it free. */
function freeName(name: string, names: ReadonlySet<string>): string {
  if (!names.has(name.toLowerCase())) return name
  for (let number = 2; ; number += 1) {
    const other = `${name.slice(0, 240)} (${number})`
    if (!names.has(other.toLowerCase())) return other
  }
}
