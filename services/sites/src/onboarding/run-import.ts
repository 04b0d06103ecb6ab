import { whyNotPublic } from '../sites/domains.ts'
import type { SiteCreate } from '../sites/schema.ts'
import { planImport, type ExistingSites, type FieldProblem, type PlannedSite, type SiteRules } from './import-plan.ts'
import type { ImportReading } from './read-config.ts'
import type { FoundCertificate } from './read-tls.ts'
import type { ImportAnswer, ImportedSiteView } from './import-schema.ts'

/** A site that is to be created, with the hashes of its users who have no password in it. */
export interface NewSite {
  readonly input: SiteCreate
  /** Bcrypt, by user name. */
  readonly hashes: Readonly<Record<string, string>>
}

/** What became of a site: its number, or why it is not there. */
export type CreateOutcome = { readonly id: number } | { readonly problems: readonly FieldProblem[] }

/** Where imported sites go. */
export interface ImportTarget {
  existing(): Promise<ExistingSites>
  /** Creates the sites, applies them together, and says for each in its order what became of it. */
  createMany(sites: readonly NewSite[], author: string): Promise<readonly CreateOutcome[]>
  /** Stores a certificate and its key (PEM) and returns its number; rejects when they do not fit. */
  addCertificate?(certificate: FoundCertificate, name: string): Promise<number>
  readonly rules?: SiteRules
}

/** How an import is done. */
export interface ImportChoices {
  readonly isDryRun: boolean
  readonly author: string
}

/** Creates the sites that were found, as far as they can be; or says what would happen. */
export async function runImport(
  reading: ImportReading,
  target: ImportTarget,
  choices: ImportChoices,
): Promise<ImportAnswer> {
  const plan = planImport(reading.sites, await target.existing(), target.rules)
  const views = plan.map(viewOf)
  const report = [...reading.report]
  if (!choices.isDryRun) {
    const chosen = plan.flatMap((site, index) => (site.status === 'new' ? [{ site, index }] : []))
    const sites: NewSite[] = []
    for (const { site } of chosen) sites.push(await newSite(site, { target, report }))
    const outcomes = sites.length === 0 ? [] : await target.createMany(sites, choices.author)
    chosen.forEach(({ index }, position) => {
      const view = views[index]
      if (view !== undefined) views[index] = { ...view, ...outcomeOf(outcomes[position]) }
    })
  }
  return {
    dry_run: choices.isDryRun,
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
    enabled: found.site.enabled ?? true,
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
