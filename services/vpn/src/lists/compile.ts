import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ListReport } from './line-count.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { PatternHead } from '../dns/policy/pattern-layout.ts'
import { openBundle } from '../dns/policy/list-bundle.ts'

/** Result of a compile thread. */
export interface Compiled {
  /** A bundle; see `openBundle`. */
  readonly memory: SharedArrayBuffer
  readonly reports: readonly ListReport[]
  readonly durationMs: number
}

/** Input of the thread. */
export interface CompileInput {
  readonly lists: readonly ResolverList[]
  readonly directory: string
}

/** Twelve million names take a tenth of this. */
const maxMs = 120_000

/**
 * Compiles lists in their own thread, which ends with its work. A list without a text counts as empty. Rejects when the
 * thread dies or is not done within two minutes; nothing is written anywhere.
 *
 * @param directory the folder with `lists/<id>.txt`
 */
export function startCompile(lists: readonly ResolverList[], directory: string): Promise<Compiled> {
  const { promise, resolve, reject } = Promise.withResolvers<Compiled>()
  const input: CompileInput = { lists, directory }
  const worker = new Worker(new URL('compile-thread.ts', import.meta.url), {
    workerData: input,
    name: 'lists',
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const timer = setTimeout(() => {
    reject(new Error('compiling the lists took too long'))
    void worker.terminate()
  }, maxMs)
  worker.once('message', (compiled: Compiled) => resolve(compiled))
  worker.once('error', reject)
  worker.once('exit', (code) => reject(new Error(`the thread that compiles lists ended with ${code}`)))
  return promise.finally(() => clearTimeout(timer))
}

/** Returns the path of a list's text in `DATA_DIR/dns`. */
export const textPath = (directory: string, id: string): string => {
  if (!/^[0-9a-z-]{1,64}$/i.test(id)) throw new Error('the id of a list is letters, digits and hyphens')
  return join(directory, 'lists', `${id}.txt`)
}

/** The name of a new text until it is found good. */
export const draftId = (id: string): string => `${id}-new`

const listOf = (id: string, number: number, format: ResolverList['format']): ResolverList => ({
  id,
  number,
  format,
  name: id,
  sha256: '',
})

/**
 * Reads a list's draft in its own thread, beside the text in force: both are compiled as if they were two lists, and what
 * is in one of them alone was added or removed. Returns the report on the draft, and how many names and patterns were.
 */
export async function examineDraft(directory: string, { id, format }: Pick<ResolverList, 'id' | 'format'>) {
  const { memory, reports } = await startCompile([listOf(id, 0, format), listOf(draftId(id), 1, format)], directory)
  const [before, report] = reports
  if (before === undefined || report === undefined) throw new Error('the compiler lost a list')
  const { names, patterns, rules } = openBundle(memory)
  const addresses = new Set(rules.flatMap(({ target }) => (target.kind === 'address' ? [target.address] : [])))
  const all = names + (patterns[PatternHead.patterns] ?? 0) + addresses.size
  return { report, added: Math.max(0, all - before.entries), removed: Math.max(0, all - report.entries) }
}

/** Reads the text in force as another format than before, and reports its contents. */
export async function examineText(directory: string, list: Pick<ResolverList, 'id' | 'format'>): Promise<ListReport> {
  const { reports } = await startCompile([listOf(list.id, 0, list.format)], directory)
  const [report] = reports
  if (report === undefined) throw new Error('the compiler lost a list')
  return report
}
