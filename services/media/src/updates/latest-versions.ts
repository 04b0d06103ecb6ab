import { readFile } from 'node:fs/promises'
import { writeFileAtomic, type Clock } from '@hearth/runtime'
import { z } from 'zod'
import { componentNames, type ComponentName, type ComponentSources } from './components.ts'
import type { ReleaseWeb } from './release.ts'

export interface LatestVersionsDependencies {
  readonly sources: ComponentSources
  readonly web: ReleaseWeb
  /** File that keeps the answers over a restart. */
  readonly file: string
  readonly clock: Clock
}

/** Lifetime of an answer and of a failure, and timeout of one round, milliseconds. */
const answersFor = 86_400_000
const failureFor = 3_600_000
const timeout = 20_000

const Name = z.enum(componentNames)

const Stored = z.object({
  /** Times of the last complete answer, null for never, and of the last request; milliseconds since the epoch. */
  checkedAt: z.number().nullable(),
  attemptedAt: z.number(),
  /** Known versions, each with the time of its answer. */
  versions: z
    .array(z.tuple([Name, z.object({ version: z.string(), at: z.number() })]))
    .transform((entries) => new Map(entries)),
  /** Components whose last request failed. */
  unanswered: z.array(Name).transform((names) => new Set(names)),
})

/** Last known answers of the release server. */
export type LatestVersions = z.infer<typeof Stored>

/** Creates the query of the newest versions: all at once and rarely, each may fail alone. Never throws. */
export function createLatestVersions(dependencies: LatestVersionsDependencies): () => Promise<LatestVersions> {
  const queried = componentNames.filter((name) => dependencies.sources[name].path !== undefined)
  let known: LatestVersions | undefined
  let running: Promise<LatestVersions> | undefined

  async function query(before: LatestVersions | undefined): Promise<LatestVersions> {
    const at = dependencies.clock.now()
    const signal = AbortSignal.timeout(timeout)
    const versions = new Map(before?.versions)
    const unanswered = new Set<ComponentName>()
    const queries = queried.map(async (name) => {
      const { path = '', read: parse } = dependencies.sources[name]
      const version = await dependencies.web.read(path, { parse, signal }).catch(() => undefined)
      if (version === undefined) unanswered.add(name)
      else versions.set(name, { version, at })
    })
    await Promise.all(queries)
    const checkedAt = unanswered.size === 0 ? at : (before?.checkedAt ?? null)
    known = { checkedAt, attemptedAt: at, versions, unanswered }
    const stored: z.input<typeof Stored> = { ...known, versions: [...versions], unanswered: [...unanswered] }
    // An answer that cannot be stored is requested again after a restart.
    await writeFileAtomic(dependencies.file, JSON.stringify(stored)).catch(() => undefined)
    return known
  }

  return async () => {
    known ??= await readStored(dependencies.file)
    if (running !== undefined) return running
    if (known !== undefined && !isDue(known, queried, dependencies.clock.now())) return known
    running = query(known).finally(() => (running = undefined))
    return running
  }
}

function isDue(
  { attemptedAt, versions, unanswered }: LatestVersions,
  queried: readonly ComponentName[],
  now: number,
): boolean {
  if (now < attemptedAt) return true
  // Stored before the settings named this one.
  if (queried.some((name) => !unanswered.has(name) && !versions.has(name))) return true
  return now - attemptedAt >= (unanswered.size === 0 ? answersFor : failureFor)
}

async function readStored(file: string): Promise<LatestVersions | undefined> {
  try {
    return Stored.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
