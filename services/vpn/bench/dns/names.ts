import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'

/** Files of names that follow from a seed alone, so that every server gets the same. */
export interface NameFiles {
  /** One blocked domain a line; what is below them is blocked too. */
  readonly list: string
  /** Every popular name once: fills the caches. */
  readonly warm: string
  /** 70 % popular (Zipf over 5,000 names, a quarter AAAA), 20 % blocked (3 in 10 below the listed name), 10 % never asked before. */
  readonly mix: string
  /** The same, of other queries. */
  readonly warmMix: string
  /** The list's last line: when it is blocked, the whole list is in force. */
  readonly lastBlocked: string
}

const popularNames = 5000
const hotBlocked = 20_000

/** Makes the files for a list of so many domains below `folder`, unless they are there. */
export async function makeNames(folder: string, domains: number, queries = 3_000_000): Promise<NameFiles> {
  const place = join(folder, `${domains}`)
  const files = {
    list: join(place, 'list.txt'),
    warm: join(place, 'warm.txt'),
    mix: join(place, 'mix.txt'),
    warmMix: join(place, 'warm-mix.txt'),
  }
  const complete = join(place, 'last-blocked.txt')
  const known = await readFile(complete, 'latin1').catch(() => '')
  if (known !== '') return { ...files, lastBlocked: known }
  const names = new Names(20_261_121)
  const list = names.blocked(domains)
  const lastBlocked = list.at(-1) ?? ''
  await mkdir(place, { recursive: true })
  await writeLines(files.list, list.length, (n) => list[n] ?? '')
  const popular = names.popular(new Set(list))
  await writeLines(files.warm, popular.length * 2, (n) => `${popular[n >> 1]} ${n % 2 === 1 ? 'AAAA' : 'A'}`)
  const query = names.mix(popular, list)
  await writeLines(files.mix, queries, query)
  await writeLines(files.warmMix, Math.ceil(queries / 10), query)
  await writeFile(complete, lastBlocked)
  return { ...files, lastBlocked }
}

async function writeLines(file: string, count: number, line: (n: number) => string): Promise<void> {
  const out = createWriteStream(file)
  for (let n = 0; n < count;) {
    let chunk = ''
    for (; n < count && chunk.length < 1 << 20; n++) chunk += `${line(n)}\n`
    if (!out.write(chunk)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

const syllables =
  'ad an ar ba be bi bo ca cat chi clo co cu da de di do du el en er fa fi fo ga ge go gra ha he hi in is ja ka ki ko la le li lo lu ma me mi mo na ne ni no on or pa pe pi po pro ra re ri ro sa se shi so sta ta te ti to tra un va ve vi vo we win ya zen'.split(
    ' ',
  )
const ends =
  'com com com com com com net net org org info biz io co ru de xyz top online site club app fr nl it es uk cn jp'.split(
    ' ',
  )
const trackers =
  'ads ad track metrics stats pixel analytics telemetry log click events beacon cdn sync tag api promo'.split(' ')
const sites = 'www www www www api cdn static img mail app assets login'.split(' ')

class Names {
  #state: number
  #serial = 0

  constructor(seed: number) {
    this.#state = seed
  }

  blocked(count: number): string[] {
    const found = new Set<string>()
    while (found.size < count) found.add(this.#listed())
    return [...found]
  }

  /** Popular names of which no list holds a parent. */
  popular(blocked: ReadonlySet<string>): string[] {
    const found = new Set<string>()
    while (found.size < popularNames) {
      const name = `${this.#pick(sites)}.${this.#registered()}`
      if (!isBelow(name, blocked)) found.add(name)
    }
    return [...found]
  }

  /** Draws queries, in the form `name TYPE`. */
  mix(popular: readonly string[], list: readonly string[]): () => string {
    const hot = this.#zipf(popular.length)
    const bad = this.#zipf(Math.min(hotBlocked, list.length))
    const stride = Math.max(1, Math.floor(list.length / hotBlocked))
    const type = () => (this.#random() < 0.25 ? 'AAAA' : 'A')
    return () => {
      const kind = this.#random()
      if (kind < 0.7) return `${popular[hot()]} ${type()}`
      if (kind < 0.9) {
        const domain = list[bad() * stride] ?? ''
        return `${this.#random() < 0.3 ? `${this.#pick(trackers)}.${domain}` : domain} ${type()}`
      }
      return `u${(this.#serial++).toString(36)}.${this.#pick(popular)} A`
    }
  }

  #random(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  #pick(list: readonly string[]): string {
    return list[Math.floor(this.#random() * list.length)] ?? ''
  }

  #word(): string {
    let word = this.#pick(syllables) + this.#pick(syllables)
    for (let more = this.#random(); more < 0.75; more += 0.3) word += this.#pick(syllables)
    return word
  }

  #registered(): string {
    const kind = this.#random()
    if (kind < 0.55) return `${this.#word()}.${this.#pick(ends)}`
    if (kind < 0.75) return `${this.#word()}-${this.#word()}.${this.#pick(ends)}`
    if (kind < 0.9) return `${this.#word()}${Math.floor(this.#random() * 1000)}.${this.#pick(ends)}`
    return `${Math.floor(this.#random() * 2 ** 40).toString(36)}.${this.#pick(ends)}`
  }

  #listed(): string {
    const kind = this.#random()
    if (kind < 0.5) return this.#registered()
    if (kind < 0.85) return `${this.#pick(trackers)}${Math.floor(this.#random() * 40)}.${this.#registered()}`
    return `${Math.floor(this.#random() * 2 ** 30).toString(36)}.${this.#pick(trackers)}.${this.#registered()}`
  }

  /** Draws 0 to count - 1, the first most often (exponent 1). */
  #zipf(count: number): () => number {
    const sums = new Float64Array(count)
    for (let k = 0, sum = 0; k < count; k++) sums[k] = sum += 1 / (k + 1)
    return () => {
      const wanted = this.#random() * (sums[count - 1] ?? 0)
      let [low, high] = [0, count - 1]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((sums[middle] ?? 0) < wanted) low = middle + 1
        else high = middle
      }
      return low
    }
  }
}

function isBelow(name: string, domains: ReadonlySet<string>): boolean {
  for (let rest = name; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (domains.has(rest)) return true
    if (!rest.includes('.')) return false
  }
}
