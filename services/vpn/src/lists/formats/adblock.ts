import { readDomain, readName, type NameReading } from '../domain-name.ts'
import { Cover, unsupported, type CoverCode, type Rule, type Weight } from './rule.ts'

/** Rules for the inside of pages: `##`, `#@#`, `#?#`, `#$#`, `#%#`, `$$`, `$@$` and their like. */
const cosmetic = /#@?[?$%]?\??#|#@?%#|\$@?\$/

/** Modifiers that are known to mean something, but not to this resolver; others are "unknown", so that reasons stay few. */
const knownModifiers = new Set(
  `all app client content cookie csp ctag denyallow dnsrewrite dnstype document doc domain empty first-party 1p font frame
  generichide genericblock header image inline-script jsonprune match-case media method mp4 network noop object other
  permissions ping popunder popup redirect redirect-rule removeheader removeparam replace rewrite script stealth strict1p
  strict3p stylesheet subdocument third-party 3p to urlblock webrtc websocket xmlhttprequest xhr`.split(/\s+/),
)

/** Below this many letters a pattern would match half of the internet. */
const fewestLetters = 3

interface Pieces {
  /** `||`, `|` or nothing. */
  readonly start: string
  readonly middle: string
  /** `^` or nothing. */
  readonly end: string
}

/** Whether a line is a cosmetic rule. */
export const isCosmetic = (line: string): boolean => cosmetic.test(line) && !line.startsWith('/')

/** One line in Adblock's syntax, as far as it is about names. A rule with a modifier that is not supported is dropped whole. */
export function readAdblock(line: string): Rule {
  if (isCosmetic(line)) return unsupported('cosmetic')
  const isException = line.startsWith('@@')
  const { body, modifiers } = splitModifiers(isException ? line.slice(2) : line)
  const asked = new Set(modifiers.map((modifier) => modifier.trim().toLowerCase()))
  const isCancel = asked.delete('badfilter')
  const isImportant = asked.delete('important')
  const [foreign] = asked
  if (foreign !== undefined) return unsupported(modifierReason(foreign))
  const weight = { isException, isImportant }
  const rule = body.length > 2 && /^\/.+\/$/.test(body) ? readExpression(body, weight) : readBody(body, weight)
  if (!isCancel || rule.kind === 'unsupported' || rule.kind === 'comment') return rule
  return { kind: 'cancel', key: rule.kind === 'cancel' ? rule.key : keyOf(body, weight) }
}

function modifierReason(modifier: string): string {
  const name = modifier.replace(/^~/, '').replace(/=.*$/s, '')
  return knownModifiers.has(name) ? `modifier ${name}` : 'unknown modifier'
}

function splitModifiers(rule: string): { body: string; modifiers: string[] } {
  const expression = rule.startsWith('/') ? /^(\/.+\/)(?:\$([^/]*))?$/.exec(rule) : null
  const at = rule.lastIndexOf('$')
  const [body, tail] =
    expression !== null
      ? [expression[1] ?? '', expression[2]]
      : at === -1
        ? [rule, undefined]
        : [rule.slice(0, at), rule.slice(at + 1)]
  return { body, modifiers: tail === undefined || tail === '' ? [] : tail.split(',') }
}

/** The same for rules that say the same in the same words. */
export const keyOf = (body: string, { isException, isImportant }: Weight): string =>
  `${isException ? '@@' : ''}${body.startsWith('/') ? body : body.toLowerCase()}${isImportant ? '$important' : ''}`

const readExpression = (text: string, weight: Weight): Rule => ({
  kind: 'pattern',
  text,
  weight,
  key: keyOf(text, weight),
})

function readBody(body: string, weight: Weight): Rule {
  const { start, middle, end } = piecesOf(body)
  const key = keyOf(body, weight)
  const names = (reading: NameReading, cover: CoverCode): Rule =>
    'reason' in reading ? unsupported(reading.reason) : { kind: 'names', names: [reading.name], cover, weight, key }
  if (middle.includes('^')) return unsupported('separator inside')
  if (/[/?=&:]/.test(middle)) return unsupported(/^\[?[0-9a-f:.]+\]?$/i.test(middle) ? 'address' : 'part of an address')
  const isOpen = end === ''
  if (/^\*?\.[^*]+$/.test(middle) && (!isOpen || (start === '' && middle.startsWith('*')))) {
    if (start === '' || middle.startsWith('*')) return names(readDomain(middle.replace(/^\*?\./, '')), Cover.below)
  }
  if (!middle.includes('*')) {
    if (start === '||' && !isOpen) return names(readName(middle), Cover.both)
    if (start === '|' && !isOpen) return names(readDomain(middle), Cover.itself)
    if (start === '' && isOpen && isBareName(middle)) return names(readDomain(middle), Cover.itself)
  }
  return readPattern({ start, middle, end }, weight, key)
}

/** `||d^|`, `|d|`, `://d^`: start, end and what is between, without stars that say nothing. */
function piecesOf(body: string): Pieces {
  const tidy = body.replace(/^\|?(?:https?|wss?)?:\/\//i, '|')
  const start = /^\|{0,2}/.exec(tidy)?.[0] ?? ''
  const rest = tidy.slice(start.length).replace(/(\^)\*+$/, '$1')
  const end = /(\^\|?|\|)$/.test(rest) ? '^' : ''
  return { start, middle: rest.replace(/(\^\|?|\|)$/, ''), end }
}

/** What reads as a whole name and not as a part of one. */
const isBareName = (text: string): boolean =>
  /[^\0-\x7f]/.test(text) || /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(text)

function readPattern({ start, middle, end }: Pieces, weight: Weight, key: string): Rule {
  if (!/^[a-z0-9._*-]*$/i.test(middle)) return unsupported('not a domain name')
  const body = middle.toLowerCase().replaceAll(/\*+/g, '*')
  const from = body.startsWith('*') ? '' : start
  const to = body.endsWith('*') ? '' : end
  const tidy = body.replaceAll(/^\*|\*$/g, '')
  if (tidy.replaceAll(/[*]/g, '').length < fewestLetters) return unsupported('matches too much')
  return { kind: 'pattern', text: `${from}${tidy}${to}`, weight, key }
}
