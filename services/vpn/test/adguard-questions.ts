import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** A client. */
export interface AskedClient {
  readonly number: number
  readonly name: string
  readonly address: string
}

/** A question that Hearth and AdGuard's engine both decide. */
export interface Question {
  readonly name: string
  readonly type: string
  readonly client: AskedClient
}

export const askedClients: readonly AskedClient[] = [
  { number: 1, name: 'phone', address: '10.8.0.2' },
  { number: 2, name: 'television', address: '10.8.0.3' },
  { number: 3, name: 'laptop', address: '10.8.1.4' },
]

/** The lists of the comparison, each a file of `test/data/lists`. */
export const comparedLists = [
  'adguarddns.wildcard',
  'easylist.hosts',
  'light.adblock',
  'stevenblack.domains',
  'modifiers.adblock',
] as const

const folder = new URL('data/lists/', import.meta.url)

/** Their texts, by name. */
export const listTexts = (): Readonly<Record<(typeof comparedLists)[number], string>> =>
  Object.fromEntries(
    comparedLists.map((name) => {
      if (name === 'modifiers.adblock') return [name, readFileSync(new URL(`${name}.txt`, folder), 'utf8')]
      return [name, gunzipSync(readFileSync(new URL(`${name}.txt.gz`, folder))).toString()]
    }),
  ) as Record<(typeof comparedLists)[number], string>

/** Decisions of AdGuard's engine, as `bench/adguard-decisions.ts` recorded them. */
export const recordedDecisions = (): readonly string[] =>
  gunzipSync(readFileSync(new URL('adguard-decisions.tsv.gz', folder)))
    .toString()
    .trimEnd()
    .split('\n')

const perList = 5600
const types = ['A', 'A', 'AAAA', 'HTTPS', 'TXT']

/** Draws 28,000 questions, always the same: names of each list, what is above and below them, and names that nearly match. */
export function drawQuestions(): Question[] {
  let state = 20_261_123
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  return Object.values(listTexts()).flatMap((text) => {
    const names = text.split('\n').flatMap(namesOf)
    return Array.from({ length: perList }, () => ({
      name: varied(pick(names), random),
      type: pick(types),
      client: pick(askedClients),
    }))
  })
}

/** All names in a line, also those in its modifiers. */
const namesOf = (line: string): string[] =>
  /^[!#]/.test(line)
    ? []
    : (line.toLowerCase().match(/[a-z0-9_-]+(\.[a-z0-9_-]+)+/g) ?? []).filter((name) => !/^[\d.]+$/.test(name))

function varied(name: string, random: () => number): string {
  const form = random()
  const below = form < 0.35 ? '' : form < 0.6 ? 'www.' : form < 0.7 ? 'a.b.' : form < 0.8 ? 'x-' : undefined
  if (below !== undefined) return `${below}${name}`.slice(-253)
  const parent = name.slice(name.indexOf('.') + 1)
  if (form < 0.9) return parent.includes('.') ? parent : name
  return `${name.slice(0, name.lastIndexOf('.'))}.example`
}
