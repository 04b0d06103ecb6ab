import { isIP } from 'node:net'
import { OperatorError } from '@hearth/runtime'
import { Problem } from '../problems.ts'
import { readDomain } from '../sites/domains.ts'
import type { SiteReach } from '../sites/reach-schema.ts'
import { SiteCreate } from '../sites/schema.ts'
import { changedSite, wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import type { SiteRow } from '../sites/tables.ts'
import { withStorage } from './data.ts'
import { problemLines } from './problem-lines.ts'
import { openStoredSites, type OpenedStorage } from './stored-sites.ts'

/** Options of `hearth sites add`. */
export interface AddOptions {
  readonly to: string
  readonly name?: string
  readonly disabled?: boolean
  readonly plain?: boolean
  readonly reach?: SiteReach
}

const author = 'command line'

/** Adds a proxied site for the domains, and prints its number. */
export async function addSite(domains: readonly string[], options: AddOptions): Promise<void> {
  const { to, name = domains[0], disabled = false, plain = false, reach } = options
  const input = readSite({
    site_name: name,
    domains,
    upstreams: [{ url: withScheme(to) }],
    enabled: !disabled,
    ...(reach !== undefined && { reach }),
    ...(plain && { force_https: false, tls: { mode: 'off' } }),
  })
  await change(async (storage) => {
    const { settleMany, editMany } = await openStoredSites(storage)
    const wanted = await settleMany()(await changedSite(undefined, input), undefined)
    const { ids } = await editMany({ put: [{ wanted }], remove: [] }, { author, cause: 'site.created' })
    process.stdout.write(`${ids[0]}\n`)
  })
}

/** Deletes the site of this number, name or domain. */
export async function removeSite(text: string): Promise<void> {
  await change(async (storage) => {
    const { db, editMany } = await openStoredSites(storage)
    const { id, name } = findSite(await allSiteRows(db), text)
    await editMany({ put: [], remove: [id] }, { author, cause: 'site.deleted' })
    process.stderr.write(`${name} is deleted\n`)
  })
}

/** Prints a line for each site: number, name, kind, on or off, domains, and where it leads. */
export async function listSites({ json = false }: { json?: boolean }): Promise<void> {
  await change(async ({ database }) => {
    const rows = await allSiteRows(database.query)
    const sites = rows.map((row) => Object.assign({ id: row.id }, wantedOfRow(row).record))
    if (json) return void process.stdout.write(`${JSON.stringify(sites, null, 2)}\n`)
    for (const { id, site_name: name, kind, enabled, domains, upstreams } of sites) {
      const to = kind === 'proxy' ? upstreams.map(({ url }) => url).join(',') : '-'
      const cells = [id, name, kind, enabled ? 'on' : 'off', domains.join(','), to]
      process.stdout.write(`${cells.join('\t').replaceAll(/[^\P{Cc}\t]/gu, '?')}\n`)
    }
  })
}

/** Does the work; a problem becomes one line that names what is wrong. */
async function change(work: (storage: OpenedStorage) => Promise<void>): Promise<void> {
  try {
    await withStorage(work)
  } catch (error) {
    throw error instanceof Problem
      ? new OperatorError(problemLines(error, sourceOf).join('; '), { cause: error })
      : error
  }
}

/** The options that members of a site come from. */
const sources: Readonly<Record<string, string>> = { site_name: '--name', upstreams: '--to' }

function sourceOf(field: string): string {
  return sources[/^\w*/.exec(field)?.[0] ?? ''] ?? field
}

function readSite(input: object): SiteCreate {
  const { data, error } = SiteCreate.safeParse(input)
  if (data !== undefined) return data
  const reasons = error.issues.map(({ path, message }) => `${sourceOf(path.join('.'))}: ${message}`)
  throw new OperatorError(reasons.join('; '))
}

/** `http://` is left out as people do: `192.168.1.5:8080`, `nas.home:5000`, `fd00::5`. */
function withScheme(text: string): string {
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|unix\/)/i.test(text)) return text
  return `http://${isIP(text) === 6 ? `[${text}]` : text}`
}

/** Finds the one site with this number, name or domain. A name may be a domain that another site has by now. */
function findSite(rows: readonly SiteRow[], text: string): { id: number; name: string } {
  const name = text.toLowerCase()
  const reading = readDomain(text)
  const domain = 'domain' in reading ? reading.domain : name
  const found = rows.flatMap((row) => {
    const { site_name, domains } = wantedOfRow(row).record
    const isMeant = String(row.id) === text || site_name.toLowerCase() === name || domains.includes(domain)
    return isMeant ? [{ id: row.id, name: site_name }] : []
  })
  const [one, ...others] = found
  if (one === undefined) throw new OperatorError(`there is no site with the number, name or domain ${text}`)
  if (others.length === 0) return one
  const list = found.map((site) => `${site.id} (${site.name})`).join(', ')
  throw new OperatorError(`${text} is the name or a domain of several sites; give the number of one: ${list}`)
}
