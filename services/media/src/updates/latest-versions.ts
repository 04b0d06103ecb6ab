import { readFile } from 'node:fs/promises'
import { writeFileAtomic, type Clock } from '@hearth/runtime'
import { z } from 'zod'
import { componentNames, type ComponentName, type ComponentSource, type ComponentSources } from './components.ts'
import type { ReleaseWeb } from './release.ts'

/** The newest version of a component, as far as it is known. */
export interface Latest {
  readonly version: string
  /** Time of the answer, milliseconds since the epoch. */
  readonly at: number
}

/** Last known answers of the release server. */
export interface LatestVersions {
  /** Times of the last complete answer and of the last request; null for never. */
  readonly checkedAt: number | null
  readonly attemptedAt: number | null
  readonly versions: ReadonlyMap<ComponentName, Latest>
  /** Components whose last request failed. */
  readonly unanswered: ReadonlySet<ComponentName>
}

export interface LatestVersionsDependencies {
  readonly sources: ComponentSources
  readonly web: ReleaseWeb
  /** File that keeps the answers over a restart. */
  readonly file: string
  readonly clock: Clock
}

/** Life of an answer and of a failure, and time for one round, milliseconds; size of an answer, bytes. */
const answersFor = 86_400_000
const failureFor = 3_600_000
const timeout = 20_000
const maxBytes = 1024 * 1024

const Name = z.enum(componentNames)

const Stored = z.object({
  checkedAt: z.number().nullable(),
  attemptedAt: z.number(),
  versions: z.array(z.tuple([Name, z.object({ version: z.string(), at: z.number() })])),
  unanswered: z.array(Name),
})
type Stored = z.infer<typeof Stored>

/** Creates the query of the newest versions: all at once and rarely, each may fail alone. Never throws. */
export function createLatestVersions(dependencies: LatestVersionsDependencies): () => Promise<LatestVersions> {
  const queried = componentNames.filter((name) => dependencies.sources[name].path !== undefined)
  let known: Stored | undefined
  let running: Promise<Stored> | undefined

  async function query(before: Stored | undefined): Promise<Stored> {
    const at = dependencies.clock.now()
    const signal = AbortSignal.timeout(timeout)
    const versions = new Map(before?.versions)
    const unanswered: ComponentName[] = []
    const queries = queried.map(async (name) => {
      const version = await queryOne(dependencies.web, dependencies.sources[name], signal).catch(() => undefined)
      if (version === undefined) unanswered.push(name)
      else versions.set(name, { version, at })
    })
    await Promise.all(queries)
    const checkedAt = unanswered.length === 0 ? at : (before?.checkedAt ?? null)
    known = { checkedAt, attemptedAt: at, versions: [...versions], unanswered }
    // An answer that cannot be stored is requested again after a restart.
    await writeFileAtomic(dependencies.file, JSON.stringify(known)).catch(() => undefined)
    return known
  }

  return async () => {
    known ??= await readStored(dependencies.file)
    if (running === undefined && isDue(known, queried, dependencies.clock.now())) {
      running = query(known).finally(() => (running = undefined))
    }
    return view(await (running ?? known), queried)
  }
}

function isDue(known: Stored | undefined, queried: readonly ComponentName[], now: number): boolean {
  if (known === undefined || now < known.attemptedAt) return true
  // Stored before the settings named this one.
  const tried = new Set([...known.unanswered, ...known.versions.map(([name]) => name)])
  if (queried.some((name) => !tried.has(name))) return true
  return now - known.attemptedAt >= (known.unanswered.length === 0 ? answersFor : failureFor)
}

async function queryOne(web: ReleaseWeb, { path = '', read }: ComponentSource, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/vnd.github+json' }
  const options = { headers, redirects: 3, maxBytes: maxBytes, timeoutMs: timeout, signal }
  const { status, body } = await web.fetch(web.apiUrl(path), options)
  if (status !== 200) throw new Error(`the server of releases answered ${status}`)
  return read(JSON.parse(Buffer.from(body).toString()))
}

async function readStored(file: string): Promise<Stored | undefined> {
  try {
    return Stored.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

function view(stored: Stored | undefined, queried: readonly ComponentName[]): LatestVersions {
  return {
    checkedAt: stored?.checkedAt ?? null,
    attemptedAt: stored?.attemptedAt ?? null,
    versions: new Map(stored?.versions),
    unanswered: new Set(stored?.unanswered ?? queried),
  }
}
