import { performance } from 'node:perf_hooks'
import { startMedia } from '../test/in-process.ts'
import { addLibraryItems, createRandom, wordOf } from './scenario/library-items.ts'

/** `npm run bench -- media/library`: searches of a library of 100,000 items, as people make them. */
const [items, searches, limitMs] = [100_000, 400, 10]
const random = createRandom(7)

/** Searches by what they narrow; each is tried with words and figures of its own. */
const kinds: Readonly<Record<string, () => string>> = {
  'a word': () => `q=${wordOf(random)}`,
  'two words': () => `q=${wordOf(random)}+${wordOf(random)}`,
  'the beginning of a word': () => `q=${wordOf(random).slice(0, 2)}`,
  'one letter': () => `q=${wordOf(random).slice(0, 1)}`,
  'no find': () => 'q=xyzzyx',
  tempo: () => tempo(),
  'tempo, key': () => `${tempo()}&keys=8A,9A,8B`,
  'word, tempo, length': () => `q=${wordOf(random)}&${tempo()}&length_from=120&length_to=300`,
  tag: () => 'tags=peak',
  'tags, word': () => `tags=peak,vocal&q=${wordOf(random)}`,
  everything: () => '',
  'everything, by tempo': () => 'sort=bpm',
  'everything, by title, deep': () => `sort=title&offset=${Math.floor(random() * 20_000)}`,
  'word, by tempo': () => `q=${wordOf(random)}&sort=bpm`,
}

function tempo(): string {
  const from = 60 + Math.floor(random() * 120)
  return `bpm_from=${from}&bpm_to=${from + 4}`
}

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN

await using media = await startMedia({ WORKERS: '0' })
await addLibraryItems(media.service.app.core.database.query, items, random)
const all: number[] = []
for (const [name, make] of Object.entries(kinds)) {
  const times: number[] = []
  for (let round = 0; round < searches / 10; round++) {
    const path = `/api/library?limit=60&${make()}`
    const begin = performance.now()
    const { status } = await media.json('GET', path)
    times.push(performance.now() - begin)
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  all.push(...times)
  process.stdout.write(
    `${name.padEnd(28)} p50 ${percentile(times, 0.5).toFixed(1).padStart(6)} ms, p95 ${percentile(times, 0.95).toFixed(1).padStart(6)} ms\n`,
  )
}
const p95 = percentile(all, 0.95)
process.stdout.write(
  `all: p50 ${percentile(all, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms of ${limitMs}: ${p95 <= limitMs ? 'met' : 'missed'}\n`,
)
process.exitCode = p95 <= limitMs ? 0 : 1
