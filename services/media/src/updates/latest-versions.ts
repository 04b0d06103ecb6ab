import { readFile } from 'node:fs/promises'
import { writeFileAtomic, type Clock } from '@hearth/runtime'
import { z } from 'zod'
import { componentNames, type ComponentName, type ComponentSource, type ComponentSources } from './components.ts'
import type { ReleaseWeb } from './release-web.ts'

/** The newest version of a component, as far as it is known. */
export interface Latest {
  readonly version: string
  /** When it was told, milliseconds since the epoch. */
  readonly at: number
}

/** What the server of releases told last. */
export interface LatestVersions {
  /** When all were told, and when they were asked for; null for never. */
  readonly checkedAt: number | null
  readonly attemptedAt: number | null
  readonly versions: ReadonlyMap<ComponentName, Latest>
  /** Those that were not told when they were asked for last. */
  readonly unanswered: ReadonlySet<ComponentName>
}

export interface LatestParts {
  readonly sources: ComponentSources
  readonly web: ReleaseWeb
  /** Where the answers are kept over a restart. */
  readonly file: string
  readonly clock: Clock
}

/** Life of an answer and of a failure, and time for one round, milliseconds; size of an answer, bytes. */
const answersFor = 86_400_000
const failureFor = 3_600_000
const patience = 20_000
const largest = 1024 * 1024

const Name = z.enum(componentNames)

const Stored = z.object({
  checkedAt: z.number().nullable(),
  attemptedAt: z.number(),
  versions: z.array(z.tuple([Name, z.object({ version: z.string(), at: z.number() })])),
  unanswered: z.array(Name),
})
type Stored = z.infer<typeof Stored>

/** Asks for the newest versions, seldom: everything at once, each failing for itself. Never throws. */
export function createLatestVersions(parts: LatestParts): () => Promise<LatestVersions> {
  const asked = componentNames.filter((name) => parts.sources[name].path !== undefined)
  let known: Stored | undefined
  let running: Promise<Stored> | undefined

  async function ask(before: Stored | undefined): Promise<Stored> {
    const at = parts.clock.now()
    const signal = AbortSignal.timeout(patience)
    const versions = new Map(before?.versions)
    const unanswered: ComponentName[] = []
    const questions = asked.map(async (name) => {
      const version = await askOne(parts.web, parts.sources[name], signal).catch(() => undefined)
      if (version === undefined) unanswered.push(name)
      else versions.set(name, { version, at })
    })
    await Promise.all(questions)
    const checkedAt = unanswered.length === 0 ? at : (before?.checkedAt ?? null)
    known = { checkedAt, attemptedAt: at, versions: [...versions], unanswered }
    // What cannot be kept is asked for again after a restart, and that is all.
    await writeFileAtomic(parts.file, JSON.stringify(known)).catch(() => undefined)
    return known
  }

  return async () => {
    known ??= await readStored(parts.file)
    if (running === undefined && isDue(known, asked, parts.clock.now())) {
      running = ask(known).finally(() => (running = undefined))
    }
    return view(await (running ?? known), asked)
  }
}

function isDue(known: Stored | undefined, asked: readonly ComponentName[], now: number): boolean {
  if (known === undefined || now < known.attemptedAt) return true
  // Stored before the settings named this one.
  const tried = new Set([...known.unanswered, ...known.versions.map(([name]) => name)])
  if (asked.some((name) => !tried.has(name))) return true
  return now - known.attemptedAt >= (known.unanswered.length === 0 ? answersFor : failureFor)
}

async function askOne(web: ReleaseWeb, { path = '', read }: ComponentSource, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/vnd.github+json' }
  const options = { headers, redirects: 3, maxBytes: largest, timeoutMs: patience, signal }
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

function view(stored: Stored | undefined, asked: readonly ComponentName[]): LatestVersions {
  return {
    checkedAt: stored?.checkedAt ?? null,
    attemptedAt: stored?.attemptedAt ?? null,
    versions: new Map(stored?.versions),
    unanswered: new Set(stored?.unanswered ?? asked),
  }
}
