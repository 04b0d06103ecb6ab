import { isIP } from 'node:net'
import { readDomain, readName, type NameReading } from '../domain-name.ts'
import { readModifiers, splitModifiers, type Modifiers } from './modifiers.ts'
import { Cover, unsupported, type CoverCode, type Rule, type Weight } from './rule.ts'

/** Rules for the inside of pages: `##`, `#@#`, `#?#`, `#$#`, `#%#`, `$$`, `$@$` and their like. */
const cosmetic = /#@?[?$%]?\??#|#@?%#|\$@?\$/

/** Below this many letters a pattern would match half of the internet. */
const fewestLetters = 3

interface Pieces {
  /** `||`, `|` or nothing. */
  readonly start: string
  readonly middle: string
  /** `^` or nothing. */
  readonly end: string
}

/** Returns true if a line is a cosmetic rule. */
export const isCosmetic = (line: string): boolean => cosmetic.test(line) && !line.startsWith('/')

/** One line in Adblock's syntax, as far as it is about names and addresses. A rule with a modifier that is not supported is dropped whole. */
export function readAdblock(line: string): Rule {
  if (isCosmetic(line)) return unsupported('cosmetic')
  const isException = line.startsWith('@@')
  const { body, tail } = splitTail(isException ? line.slice(2) : line)
  const modifiers = readModifiers(tail === '' ? [] : splitModifiers(tail), isException)
  if (typeof modifiers === 'string') return unsupported(modifiers)
  const weight = { isException, isImportant: modifiers.isImportant }
  const rule = conditioned(readTarget(body, weight, modifiers), modifiers)
  if (!modifiers.isCancel || rule.kind === 'unsupported' || rule.kind === 'comment') return rule
  return { kind: 'cancel', key: rule.key }
}

function readTarget(body: string, weight: Weight, { key, conditions }: Modifiers): Rule {
  const isEvery = /^(\|{0,2}\*?\^?|\*+)$/.test(body) && key !== ''
  // Everything, as far as the conditions let it: that needs one.
  if (isEvery && conditions.rewrite === null) return readExpression(everything, weight)
  return body.length > 2 && /^\/.+\/$/.test(body) ? readExpression(body, weight) : readBody(body, weight)
}

/** An expression that every name matches. */
const everything = '/.*/'

/** The rule with its conditions, which distinguish it from others about the same names. */
function conditioned(rule: Rule, { key, conditions }: Modifiers): Rule {
  if (key === '' || rule.kind === 'comment' || rule.kind === 'unsupported' || rule.kind === 'cancel') return rule
  return { ...rule, key: `${rule.key}$${key}`, conditions }
}

function splitTail(rule: string): { body: string; tail: string } {
  const expression = rule.startsWith('/') ? /^(\/.+\/)(?:\$([^/]*(?:=.*)?))?$/.exec(rule) : null
  if (expression !== null) return { body: expression[1] ?? '', tail: expression[2] ?? '' }
  const at = rule.lastIndexOf('$')
  return at === -1 ? { body: rule, tail: '' } : { body: rule.slice(0, at), tail: rule.slice(at + 1) }
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
  const address = addressOf(middle)
  if (address !== undefined) {
    if (start === '' || end === '') return unsupported('address')
    return { kind: 'address', address, weight, key }
  }
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

/** The canonical form of an IPv4 or IPv6 address, the latter with or without brackets; undefined for anything else. */
function addressOf(text: string): string | undefined {
  const plain = text.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const family = plain.includes('%') ? 0 : isIP(plain)
  if (family === 4) return plain
  return family === 6 ? new URL(`http://[${plain}]/`).hostname.slice(1, -1) : undefined
}

/** `||d^|`, `|d|`, `://d^`: start, end and what is between, without stars that say nothing. */
function piecesOf(body: string): Pieces {
  const tidy = body.replace(/^\|?(?:https?|wss?)?:\/\//i, '|')
  const start = /^\|{0,2}/.exec(tidy)?.[0] ?? ''
  const rest = tidy.slice(start.length).replace(/(\^)\*+$/, '$1')
  const end = /(\^\|?|\|)$/.test(rest) ? '^' : ''
  return { start, middle: rest.replace(/(\^\|?|\|)$/, ''), end }
}

/** Returns true if a text reads as a whole name and not as a part of one. */
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
