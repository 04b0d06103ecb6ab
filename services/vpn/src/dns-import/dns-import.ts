import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Filtering } from '../filtering/filtering.ts'
import { maxLists } from '../dns/policy/membership.ts'
import { nameKey } from '../envelope.ts'
import { freeName } from '../foreign-files/free-name.ts'
import { readForeignFiles } from '../foreign-files/read-foreign-files.ts'
import type { LeftOut } from '../foreign-files/given-file.ts'
import { DnsZoneCreate } from '../filtering/zones/schema.ts'
import type { Lists } from '../lists/lists.ts'
import { BlockListCreate, maxListName } from '../lists/schema.ts'
import { importClients } from './client-profiles.ts'
import { Problem, problemFields, problemOf } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { FoundDns } from './found-dns.ts'
import type { DnsImport, DnsImportReport } from './schema.ts'

/** What the import of DNS settings stands on. */
export interface DnsImportDependencies {
  readonly db: Kysely<Tables>
  readonly filtering: Pick<Filtering, 'rules' | 'records' | 'zones' | 'settings' | 'profiles'>
  readonly lists: Pick<Lists, 'create' | 'list'>
}

/** Rules and zones of one import, at most. */
const maxEach = 1000
const maxLeftOut = 1000

/**
 * Takes over what AdGuard Home or Pi-hole was set to. Each part holds by itself: what is here already stays, what does not fit
 * is left out with the reason, and doing it again adds only what is missing. A dry run changes nothing.
 */
export async function importDns(
  dependencies: DnsImportDependencies,
  input: DnsImport,
  by: string,
): Promise<DnsImportReport> {
  // Loaded here: nobody else needs readers of YAML, TOML and archives.
  const { readDnsFiles } = await import('./sources/read-dns-files.ts')
  const found = joined(readForeignFiles(input.files, readDnsFiles))
  const work = new Import(dependencies, { found, by, isTrial: input.dry_run })
  const parts = new Set(input.parts)
  const nothing = { found: 0, created: 0, existing: 0 }
  const report: DnsImportReport = {
    source: found.source,
    lists: parts.has('lists') ? await work.lists() : nothing,
    rules: parts.has('rules') ? await work.rules() : nothing,
    records: parts.has('records') ? await work.records() : nothing,
    zones: parts.has('zones') ? await work.zones() : nothing,
    clients: parts.has('clients') ? await work.clients() : nothing,
    upstreams: parts.has('upstreams') ? await work.upstreams() : [],
    left_out: [],
  }
  return { ...report, left_out: [...found.leftOut, ...work.leftOut].slice(0, maxLeftOut) }
}

/** Says what an import made. */
export function describeCounts({ lists, rules, records, zones, clients }: DnsImportReport): string {
  const counted = ({ created }: Counts, noun: string) => `${created} ${noun}${created === 1 ? '' : 's'}`
  const first = [counted(lists, 'list'), counted(rules, 'rule'), counted(records, 'local name'), counted(zones, 'zone')]
  return `${first.join(', ')} and ${counted(clients, 'profile')} taken over`
}

function joined(finds: readonly FoundDns[]): FoundDns {
  const [first] = finds
  if (first === undefined) throw new Problem('invalid', 'files hold nothing', { details: { field: 'files' } })
  return {
    source: first.source,
    lists: finds.flatMap((each) => each.lists),
    rules: finds.flatMap((each) => each.rules),
    records: finds.flatMap((each) => each.records),
    zones: finds.flatMap((each) => each.zones),
    upstreams: finds.flatMap((each) => each.upstreams),
    clients: finds.flatMap((each) => each.clients),
    leftOut: finds.flatMap((each) => each.leftOut),
  }
}

/** True for the problem of something that is here already. */
const isThere = ({ kind, details = {} }: Problem): boolean =>
  kind === 'conflict' && (details['id'] !== undefined || details['field'] === 'url')

/** The same checks as for what comes over the API. */
function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Problem('invalid', parsed.error.issues[0]?.message ?? 'does not fit')
}

type Counts = DnsImportReport['lists']

class Import {
  readonly leftOut: LeftOut[] = []
  readonly #dependencies: DnsImportDependencies
  readonly #found: FoundDns
  readonly #by: string
  readonly #isTrial: boolean

  constructor(
    dependencies: DnsImportDependencies,
    { found, by, isTrial }: { found: FoundDns; by: string; isTrial: boolean },
  ) {
    this.#dependencies = dependencies
    this.#found = found
    this.#by = by
    this.#isTrial = isTrial
  }

  async lists(): Promise<Counts> {
    const { lists } = this.#dependencies
    const known = await lists.list({ limit: maxLists, offset: 0 }, false)
    const taken = new Set(known.rows.map(({ name }) => nameKey(name)))
    return this.#each(this.#found.lists, {
      about: ({ name }) => name,
      create: ({ name, url, enabled }) =>
        lists.create(checked(BlockListCreate, { name: freeName(name, taken, maxListName), url, enabled })),
    })
  }

  /** All rules are put in force at once. */
  async rules(): Promise<Counts> {
    const { rules } = this.#dependencies.filtering
    const items = this.#bounded(this.#found.rules, 'rules')
    const outcomes = this.#isTrial ? [] : await rules.createMany(items, this.#by)
    return this.#counted(items, ({ domain }) => domain, outcomes)
  }

  zones(): Promise<Counts> {
    const { zones } = this.#dependencies.filtering
    return this.#each(this.#bounded(this.#found.zones, 'zones'), {
      about: ({ zone }) => zone,
      create: (zone) => zones.create(checked(DnsZoneCreate, zone), this.#by),
    })
  }

  /** Records that fit, as one; the others are left out. */
  async records(): Promise<Counts> {
    const { records } = this.#dependencies.filtering
    const lines = [...this.#found.records]
    // A report names a bounded number of faulty lines at a time.
    for (;;) {
      const trial = await records.import({ text: lines.join('\n'), dry_run: true }, this.#by)
      if (trial.faulty === 0) {
        if (!this.#isTrial && trial.created > 0)
          await records.import({ text: lines.join('\n'), dry_run: false }, this.#by)
        return {
          found: this.#found.records.length,
          created: this.#isTrial ? 0 : trial.created,
          existing: trial.existing,
        }
      }
      const faulty = new Map(trial.problems.map((problem) => [problem.line - 1, problem.message]))
      for (const [index, message] of faulty) this.#leave(lines[index] ?? '', message)
      lines.splice(0, lines.length, ...lines.filter((_, index) => !faulty.has(index)))
    }
  }

  async clients(): Promise<Counts> {
    const clients = this.#bounded(this.#found.clients, 'clients')
    if (this.#isTrial) return { found: clients.length, created: 0, existing: 0 }
    return importClients(this.#dependencies, clients, {
      by: this.#by,
      leave: (about, reason) => this.#leave(about, reason),
    })
  }

  /** The upstreams, which replace those that are set. */
  async upstreams(): Promise<string[]> {
    const upstreams = [...new Set(this.#found.upstreams)].slice(0, 8)
    if (this.#isTrial || upstreams.length === 0) return upstreams
    const problem = await problemOf(() => this.#dependencies.filtering.settings.update({ upstreams }))
    if (problem === undefined) return upstreams
    this.#leave('upstreams', problem.message)
    return []
  }

  async #each<T>(
    items: readonly T[],
    { about, create }: { about: (item: T) => string; create: (item: T) => Promise<unknown> },
  ): Promise<Counts> {
    const outcomes: (Problem | undefined)[] = []
    if (!this.#isTrial) for (const item of items) outcomes.push(await problemOf(() => create(item)))
    return this.#counted(items, about, outcomes)
  }

  /** Counts what became of each item, and leaves out what could not be. A trial has no outcomes. */
  #counted<T>(items: readonly T[], about: (item: T) => string, outcomes: readonly (Problem | undefined)[]): Counts {
    const counts = { found: items.length, created: 0, existing: 0 }
    for (const [index, problem] of outcomes.entries()) {
      if (problem === undefined) counts.created += 1
      else if (isThere(problem)) counts.existing += 1
      else this.#leave(about(items[index] as T), problemFields(problem)[0]?.message ?? problem.message)
    }
    return counts
  }

  #bounded<T>(items: readonly T[], kind: string): readonly T[] {
    if (items.length > maxEach)
      this.#leave(kind, `${items.length - maxEach} more than ${maxEach}: put them into a list`)
    return items.slice(0, maxEach)
  }

  #leave(about: string, reason: string): void {
    this.leftOut.push({ about: about.slice(0, 200), reason })
  }
}
