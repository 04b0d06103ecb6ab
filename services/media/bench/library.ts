import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { startMedia } from '../test/in-process.ts'
import { addLibraryItems, createRandom, wordOf } from './scenario/library-items.ts'

/** `npm run bench -- media/library`: searches of a library of 100,000 items, as people make them. */
const [items, searchesOfKind, limitMs] = [100_000, 40, 10]

/** Searches by what they narrow; each is tried with words and figures of its own. */
const kinds = (random: () => number): Record<string, () => string> => ({
  'a word': () => `q=${wordOf(random)}`,
  'two words': () => `q=${wordOf(random)}+${wordOf(random)}`,
  'the beginning of a word': () => `q=${wordOf(random).slice(0, 2)}`,
  'one letter': () => `q=${wordOf(random).slice(0, 1)}`,
  'no find': () => 'q=xyzzyx',
  tempo: () => tempo(random),
  'tempo, key': () => `${tempo(random)}&keys=8A,9A,8B`,
  'word, tempo, length': () => `q=${wordOf(random)}&${tempo(random)}&length_from=120&length_to=300`,
  tag: () => 'tags=peak',
  'tags, word': () => `tags=peak,vocal&q=${wordOf(random)}`,
  everything: () => '',
  'everything, by tempo': () => 'sort=bpm',
  'everything, by title, deep': () => `sort=title&offset=${Math.floor(random() * 1000)}`,
  'word, by tempo': () => `q=${wordOf(random)}&sort=bpm`,
})

function tempo(random: () => number): string {
  const from = 60 + Math.floor(random() * 120)
  return `bpm_from=${from}&bpm_to=${from + 4}`
}

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN

/** Searches on one database; returns the time of each, milliseconds. */
async function measure(name: string, environment: Readonly<Record<string, string>>): Promise<number[]> {
  const random = createRandom(7)
  await using media = await startMedia({ WORKERS: '0', ...environment })
  const { query } = media.service.app.core.database
  await addLibraryItems(query, items, random)
  // Both databases do this by themselves after a while; PostgreSQL chooses how it searches by what it finds.
  await sql`analyze`.execute(query)
  const all: number[] = []
  for (const [kind, make] of Object.entries(kinds(random))) {
    const times: number[] = []
    for (let round = 0; round < searchesOfKind; round++) {
      const path = `/api/library?limit=60&${make()}`
      const begin = performance.now()
      const { status } = await media.json('GET', path)
      times.push(performance.now() - begin)
      if (status !== 200) throw new Error(`${path}: ${status}`)
    }
    all.push(...times)
    process.stdout.write(`${name}, ${lineOf(kind, times)}\n`)
  }
  return all
}

const lineOf = (name: string, times: readonly number[]): string =>
  `${name.padEnd(28)} p50 ${percentile(times, 0.5).toFixed(1).padStart(6)} ms, p95 ${percentile(times, 0.95).toFixed(1).padStart(6)} ms`

const databases: [name: string, environment: () => Promise<Record<string, string>>][] = [
  ['SQLite', () => Promise.resolve({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await createPostgresDatabase() })],
]
for (const [name, environment] of databases) {
  if (name === 'PostgreSQL' && postgresObstacle() !== false) continue
  const times = await measure(name, await environment())
  const isMet = percentile(times, 0.95) <= limitMs
  process.stdout.write(`${lineOf(`${name}, all`, times)} of ${limitMs}: ${isMet ? 'met' : 'missed'}\n`)
  if (!isMet) process.exitCode = 1
}
