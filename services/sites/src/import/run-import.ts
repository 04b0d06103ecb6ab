import { phraseOfZodIssue } from '@hearth/http'
import { whyNotPublic, wildcardOver } from '../sites/domains.ts'
import type { FieldIssue } from '../sites/rules/rule-context.ts'
import { SiteCreate } from '../sites/schema.ts'
import type { ImportedSite, ImportReading } from './config/read-config.ts'
import type { FoundCertificate } from './config/read-tls.ts'
import type { ImportAnswer, ImportedSiteView, ReportItem } from './schema.ts'

/** The sites there are already. */
interface ExistingSites {
  /** Names in lower case. */
  readonly names: ReadonlySet<string>
  /** The name of the site of each domain. */
  readonly domains: ReadonlyMap<string, string>
}

/** Plan for one site that was found. */
type PlannedSite = { readonly found: ImportedSite; readonly name: string } & (
  | { readonly status: 'new'; readonly input: SiteCreate; readonly renamedFrom: string | null }
  | { readonly status: 'conflicting' | 'invalid'; readonly problems: readonly FieldIssue[] }
)

/**
 * Decides which of the found sites can be created beside those there are, in their order: one that lacks a valid member is
 * invalid, one whose domain belongs to another site, also one found earlier, is conflicting, and one whose name is taken gets
 * another name.
 */
function planImport(
  found: readonly ImportedSite[],
  existing: ExistingSites,
  rules: NonNullable<ImportTarget['rules']> = () => [],
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

/**
 * Switches off sites with a wildcard that would answer for a name whose own site is not served: it asked something of visitors that
 * the other does not, or cannot be created.
 */
function closeWildcards(
  plan: readonly PlannedSite[],
  { domains }: ExistingSites,
  { closed, report }: { readonly closed: readonly string[]; readonly report: ReportItem[] },
): PlannedSite[] {
  const served = new Set(plan.flatMap((one) => (one.status === 'new' && one.input.enabled ? one.input.domains : [])))
  const missing = plan.flatMap(({ status, found: { site } }) =>
    status === 'new' || site.enabled === false ? [] : (site.domains ?? []),
  )
  const names = [...closed, ...missing].filter((name) => !served.has(name) && !domains.has(name))
  const covered = new Map(names.map((name) => [wildcardOver(name), name]))
  return plan.map((one) => {
    if (one.status !== 'new' || !one.input.enabled || !handsOn(one.input)) return one
    const wildcard = one.input.domains.find((domain) => covered.has(domain))
    if (wildcard === undefined) return one
    const what = `${wildcard} would answer for ${covered.get(wildcard)}, whose own site is left out or switched off; the site is switched off`
    report.push({ path: one.found.path, what, outcome: 'changed', site: one.input.domains[0] ?? null })
    return { ...one, input: { ...one.input, enabled: false } }
  })
}

/** True for a site that shows something that is not in its own record. */
const handsOn = ({ kind, paths }: SiteCreate): boolean =>
  [kind, ...paths.map((path) => path.kind)].some((one) => one !== 'respond' && one !== 'redirect')

/** The name, or the name with the first number that makes it free. */
function freeName(name: string, names: ReadonlySet<string>): string {
  if (!names.has(name.toLowerCase())) return name
  for (let number = 2; ; number += 1) {
    const other = `${name.slice(0, 240)} (${number})`
    if (!names.has(other.toLowerCase())) return other
  }
}

/** A site that is to be created, with the hashes of its users who have no password in it. */
export interface NewSite {
  readonly input: SiteCreate
  /** Bcrypt, by user name. */
  readonly hashes: Readonly<Record<string, string>>
}

/** Outcome of creating a site: its number, or the problems. */
export type CreateOutcome = { readonly id: number } | { readonly problems: readonly FieldIssue[] }

/** Destination of imported sites. */
export interface ImportTarget {
  existing(): Promise<ExistingSites>
  /** Creates the sites, applies them together, and says for each in its order what became of it. */
  createMany(sites: readonly NewSite[], author: string): Promise<readonly CreateOutcome[]>
  /** Stores a certificate and its key (PEM) and returns its number; rejects when they do not fit. */
  addCertificate?(certificate: FoundCertificate, name: string): Promise<number>
  /** Rules about sites beyond their schema, such as what an upstream may be. */
  readonly rules?: (site: SiteCreate) => readonly FieldIssue[]
}

/** Options of a requested import. */
export interface ImportRequest {
  readonly isDryRun: boolean
  readonly author: string
}

/** Creates the sites that were found, as far as they can be; or says what would happen. */
export async function runImport(
  reading: ImportReading,
  target: ImportTarget,
  { isDryRun, author }: ImportRequest,
): Promise<ImportAnswer> {
  const existing = await target.existing()
  const report = [...reading.report]
  const { closed = [] } = reading
  const plan = closeWildcards(planImport(reading.sites, existing, target.rules), existing, { closed, report })
  const views = plan.map(viewOf)
  if (!isDryRun) {
    const chosen = plan.flatMap((site, index) => (site.status === 'new' ? [{ site, index }] : []))
    const sites: NewSite[] = []
    for (const { site } of chosen) sites.push(await newSite(site, { target, report }))
    const outcomes = sites.length === 0 ? [] : await target.createMany(sites, author)
    chosen.forEach(({ index }, position) => {
      const view = views[index]
      if (view !== undefined) views[index] = { ...view, ...outcomeOf(outcomes[position]) }
    })
  }
  return {
    dry_run: isDryRun,
    counts: countsOf(views),
    sites: views,
    report,
    acme_email: reading.acmeEmail ?? null,
  }
}

/** All that is not there after an import, with the reason: what was left out, and sites that were not created. */
export function leftOutOf({ report, sites }: ImportAnswer): { path: string; message: string }[] {
  const parts = report
    .filter(({ outcome }) => outcome === 'left_out')
    .map(({ path, what }) => ({ path, message: what }))
  const missing = sites.flatMap(({ path, site_name: name, problems }) =>
    problems.map(({ field, message }) => ({ path, message: `${name}: ${field === '' ? '' : `${field} `}${message}` })),
  )
  return [...parts, ...missing]
}

type ChosenSite = Extract<PlannedSite, { status: 'new' }>

/** The site with its certificate stored; when that cannot be, Caddy gets it one. */
async function newSite(
  { found, input }: ChosenSite,
  { target, report }: { target: ImportTarget; report: ImportAnswer['report'] },
): Promise<NewSite> {
  const { certificate, hashes } = found
  if (certificate === undefined) return { input, hashes }
  try {
    if (target.addCertificate === undefined) throw new Error('certificates are not taken over here')
    const id = await target.addCertificate(certificate, input.site_name)
    return { input: { ...input, tls: { ...input.tls, mode: 'custom', certificate_id: id } }, hashes }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read'
    const what = `its certificate, which has to be uploaded (${why}); until then Caddy gets one itself`
    report.push({ path: found.path, what, outcome: 'changed', site: input.domains[0] ?? null })
    const mode = input.domains.every((domain) => whyNotPublic(domain) === undefined) ? 'auto' : 'internal'
    return { input: { ...input, tls: { ...input.tls, mode, certificate_id: null } }, hashes }
  }
}

function viewOf(planned: PlannedSite): ImportedSiteView {
  const { found, name, status } = planned
  return {
    path: found.path,
    site_name: name,
    renamed_from: planned.status === 'new' ? planned.renamedFrom : null,
    domains: [...(found.site.domains ?? [])],
    kind: found.site.kind ?? 'proxy',
    enabled: planned.status === 'new' ? planned.input.enabled : (found.site.enabled ?? true),
    status,
    site_id: null,
    problems: planned.status === 'new' ? [] : [...planned.problems],
  }
}

function outcomeOf(outcome: CreateOutcome | undefined): Pick<ImportedSiteView, 'status' | 'site_id' | 'problems'> {
  if (outcome === undefined)
    return { status: 'failed', site_id: null, problems: [{ field: '', message: 'was not created' }] }
  if ('id' in outcome) return { status: 'created', site_id: outcome.id, problems: [] }
  return { status: 'failed', site_id: null, problems: [...outcome.problems] }
}

function countsOf(sites: readonly ImportedSiteView[]): ImportAnswer['counts'] {
  const counts = { found: sites.length, created: 0, new: 0, failed: 0, conflicting: 0, invalid: 0 }
  for (const { status } of sites) counts[status] += 1
  return counts
}
