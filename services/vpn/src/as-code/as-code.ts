import { createKeyedQueue } from '@hearth/runtime'
import { Problem } from '../problems.ts'
import { allSections } from './all-sections.ts'
import { bring, missingReferences, readAll } from './bring.ts'
import { match } from './match.ts'
import { changesBetween, fingerprintOf, remaining } from './plan.ts'
import { readDocument, refusedFile, withLines, type WantedState } from './read-document.ts'
import { type ApplyReport, type ApplyRequest, maxListed, type PlannedChange } from './schema.ts'
import { openWith, sealWith } from './secrets.ts'
import type { Parts, SectionContext } from './section.ts'
import { interfacesSection } from './sections/interfaces.ts'
import { type FilledSection, writeDocument } from './write-document.ts'

/** Parts on a copy of the wanted state, in which nothing runs. */
export interface Trial extends AsyncDisposable {
  readonly parts: Parts
}

export interface AsCodeDependencies {
  readonly parts: Parts
  readonly openTrial: () => Promise<Trial>
  /** Called after an apply that may have changed something. */
  readonly onChanged: () => void
}

/** How an apply is done, without the file. */
type ApplyOptions = Omit<ApplyRequest, 'text' | 'passphrase'>

/** The whole wanted state as one file: written, planned and brought about. */
export class AsCode {
  readonly #dependencies: AsCodeDependencies
  /** One at a time, so that what was planned is what is done. */
  readonly #queue = createKeyedQueue(8)

  constructor(dependencies: AsCodeDependencies) {
    this.#dependencies = dependencies
  }

  /** Writes the file; with a passphrase it has the secrets, sealed. The same state gives the same text. */
  async export(passphrase?: string): Promise<string> {
    const { parts } = this.#dependencies
    const context = contextOf(parts)
    if (passphrase === undefined) return writeDocument(await readAll(context), undefined)
    const keys = (await interfacesSection.read(context)).map(({ value }) => value.public_key ?? '')
    const { secrets, header } = await sealWith(passphrase, keys)
    return writeDocument(await readAll({ ...context, secrets }), header)
  }

  /**
   * Brings the service to what a file says, after it was tried on a copy: whatever stands in the way is told of at once, and nothing
   * is changed then. A dry run ends there. Throws a `Problem`; one from the middle of the work names what was done.
   */
  async apply({ text, passphrase, ...options }: ApplyRequest, by: string): Promise<ApplyReport> {
    const state = readDocument(text, allSections)
    const secrets = await openSecrets(state, passphrase)
    const { new_keys: newKeys, allow_host_overlap: allowHostOverlap } = options
    const context = { ...contextOf(this.#dependencies.parts), secrets, by, newKeys, allowHostOverlap }
    return this.#queue.run('apply', () => this.#apply(state, context, options))
  }

  async #apply(state: WantedState, context: SectionContext, options: ApplyOptions): Promise<ApplyReport> {
    const before = await readAll(context)
    const missing = missingReferences(state, before, options.prune)
    if (missing.length > 0) throw refusedFile(withLines(state, missing))
    const { report, planned } = await this.#try(state, context, { before, prune: options.prune })
    if (options.expected_plan !== undefined && options.expected_plan !== report.plan)
      throw new Problem(
        'conflict',
        'Something was changed meanwhile, and the file would change something else now; look at the new plan',
        {
          details: { field: 'expected_plan' },
        },
      )
    if (options.dry_run) return report
    if (report.changes.length > 0) await this.#bring(state, context, { before, planned, prune: options.prune })
    return { ...report, applied: true }
  }

  /** Does everything on a copy, and compares it with what is there. */
  async #try(
    state: WantedState,
    context: SectionContext,
    { before, prune }: { before: readonly FilledSection[]; prune: boolean },
  ): Promise<{ report: ApplyReport; planned: readonly PlannedChange[] }> {
    await using trial = await this.#dependencies.openTrial()
    const tried = { ...context, parts: trial.parts }
    const faults = await bring(tried, state, { prune, isTrial: true })
    if (faults.length > 0) throw refusedFile(withLines(state, faults))
    const after = await readAll(tried)
    const changes = changesBetween(before, after)
    const report = { ...reportOf(changes), plan: fingerprintOf(changes), not_in_file: strangers(state, after) }
    return { report, planned: changes }
  }

  async #bring(
    state: WantedState,
    context: SectionContext,
    {
      before,
      planned,
      prune,
    }: {
      before: readonly FilledSection[]
      planned: readonly PlannedChange[]
      prune: boolean
    },
  ): Promise<void> {
    let faults: Awaited<ReturnType<typeof bring>> = []
    let failure: { readonly cause: unknown } | undefined
    try {
      faults = await bring(context, state, { prune, isTrial: false })
    } catch (cause) {
      failure = { cause }
    } finally {
      this.#dependencies.onChanged()
    }
    if (failure === undefined && faults.length === 0) return
    // What was done cannot be taken back: a device that got its new keys has them. A second apply does the rest.
    const done = changesBetween(before, await readAll(context))
    const left = remaining(planned, done)
    const fields = [
      ...withLines(state, faults).map(({ line, path, message }) => ({ line, path, message, code: 'failed' })),
      ...(failure === undefined ? [] : [{ path: '', message: unexpected, code: 'failed' }]),
    ]
    throw new Problem(failure === undefined ? 'conflict' : 'internal', partText(fields[0], { done, left }), {
      details: { fields, done: done.slice(0, maxListed), not_done: left.slice(0, maxListed) },
      ...failure,
    })
  }
}

const unexpected = 'Something went wrong on the server; its log says more'

const contextOf = (parts: Parts): SectionContext => ({
  parts,
  secrets: undefined,
  by: '',
  allowHostOverlap: false,
  newKeys: false,
})

async function openSecrets({ secrets: header }: WantedState, passphrase: string | undefined) {
  if (header === undefined) return undefined
  if (passphrase === undefined) throw passphraseProblem('is needed: the file has secrets')
  const secrets = await openWith(passphrase, header)
  if (secrets === undefined) throw passphraseProblem('is not the one that the file was made with')
  return secrets
}

const passphraseProblem = (message: string) =>
  new Problem('invalid', `passphrase ${message}`, {
    details: { fields: [{ path: 'passphrase', code: 'invalid', message }] },
  })

/** What the service has in the sections of the file and the file does not. */
function strangers(state: WantedState, after: readonly FilledSection[]): ApplyReport['not_in_file'] {
  return after
    .flatMap(({ section, held }) => {
      const wanted = state.sections.get(section)
      if (wanted === undefined || section.form === 'members') return []
      const { extra } = match(section, { held, wanted }, false)
      return extra.map(({ name }) => ({ section: section.name, noun: section.noun, name }))
    })
    .slice(0, maxListed)
}

function reportOf(changes: readonly PlannedChange[]): Omit<ApplyReport, 'plan' | 'not_in_file'> {
  const count = (action: PlannedChange['action']) => changes.filter((each) => each.action === action).length
  return {
    applied: false,
    created: count('create'),
    changed: count('change'),
    deleted: count('delete'),
    changes: changes.slice(0, maxListed),
  }
}

/** What stopped an apply, and how far it came. */
function partText(
  first: { readonly path: string; readonly message: string } | undefined,
  { done, left }: { readonly done: readonly unknown[]; readonly left: readonly unknown[] },
): string {
  const what = `${first?.path ?? ''} ${first?.message ?? ''}`.trim()
  if (done.length === 0) return `${what}; nothing was changed`
  const rest = left.length === 0 ? '' : `, ${countText(left)} not`
  return `${what}; ${countText(done)} done before that${rest}; apply again to finish`
}

const countText = ({ length }: readonly unknown[]): string => (length === 1 ? '1 change was' : `${length} changes were`)
