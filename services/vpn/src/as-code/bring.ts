import { problemOf } from '../problems.ts'
import { allSections } from './all-sections.ts'
import { faultsAt } from './faults.ts'
import { match } from './match.ts'
import type { WantedState } from './read-document.ts'
import type { AnySection, EntryValue, Fault, Held, SectionContext } from './section.ts'
import type { FilledSection } from './write-document.ts'

/** Reads everything that is there. */
export async function readAll(context: SectionContext): Promise<FilledSection[]> {
  const filled: FilledSection[] = []
  for (const section of allSections) filled.push({ section, held: (await section.read(context)) as Held<EntryValue>[] })
  return filled
}

/** References of the file to what neither it nor the service has. */
export function missingReferences(
  { sections }: WantedState,
  present: readonly FilledSection[],
  prune: boolean,
): Fault[] {
  const known = new Map(
    present.map(({ section, held }) => {
      const own = sections.get(section)
      const stays = own === undefined || !prune ? held : []
      return [section.name, new Set([...stays, ...(own ?? [])].map(({ key }) => key))]
    }),
  )
  return [...sections].flatMap(([section, entries]) =>
    entries.flatMap(({ value, path }) =>
      [...(section.references?.(value) ?? [])]
        .filter((reference) => known.get(reference.section)?.has(reference.key) !== true)
        .map((reference) => ({ path: [...path, ...reference.path], message: reference.message })),
    ),
  )
}

/** How a file is brought about. */
export interface BringOptions {
  readonly prune: boolean
  /** Goes on after a fault, with sections that do not depend on what failed, to find all of them. */
  readonly isTrial: boolean
}

/** Brings the parts to what the file says: what is to go first, then section by section, then the rest of what is to go. */
export async function bring(context: SectionContext, state: WantedState, options: BringOptions): Promise<Fault[]> {
  const work = new Bringing(context, state, options)
  const steps = [
    ...allSections
      .toReversed()
      .filter(({ prunes }) => prunes === 'first')
      .map((section) => () => work.prune(section)),
    ...allSections.map((section) => () => work.apply(section)),
    ...allSections
      .toReversed()
      .filter(({ prunes }) => prunes === 'last')
      .map((section) => () => work.prune(section)),
  ]
  for (const step of steps) {
    await step()
    if (!options.isTrial && work.faults.length > 0) break
  }
  return work.faults
}

class Bringing {
  readonly faults: Fault[] = []
  readonly #context: SectionContext
  readonly #state: WantedState
  readonly #options: BringOptions
  readonly #failed = new Set<string>()

  constructor(context: SectionContext, state: WantedState, options: BringOptions) {
    this.#context = context
    this.#state = state
    this.#options = options
  }

  prune(section: AnySection): Promise<void> {
    return this.#work(section, async (matched) => {
      if (this.#options.prune && matched.extra.length > 0) await section.remove?.(this.#context, matched.extra)
      return []
    })
  }

  apply(section: AnySection): Promise<void> {
    return this.#work(section, ({ work }) => section.apply(this.#context, work))
  }

  async #work(section: AnySection, work: (matched: ReturnType<typeof match>) => Promise<Fault[]>): Promise<void> {
    const wanted = this.#state.sections.get(section)
    const { needs = [], name } = section
    if (wanted === undefined) return
    if (this.#failed.has(name) || needs.some((need) => this.#failed.has(need))) return void this.#failed.add(name)
    let faults: Fault[] = []
    const problem = await problemOf(async () => {
      const held = (await section.read(this.#context)) as Held<EntryValue>[]
      faults = await work(match(section, { held, wanted }, this.#options.prune))
    })
    if (problem !== undefined) faults = faultsAt([name], problem)
    if (faults.length > 0) this.#failed.add(name)
    this.faults.push(...faults)
  }
}
