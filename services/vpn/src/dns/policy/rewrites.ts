import type { ConditionalRules } from './conditional-rules.ts'
import { Meaning } from './membership.ts'

const isException = (meaning: number): boolean => meaning === Meaning.allows || meaning === Meaning.allowsImportantly
const isImportant = (meaning: number): boolean =>
  meaning === Meaning.blocksImportantly || meaning === Meaning.allowsImportantly

/** Returns true if the rule at this place, one of those that matched, gives an answer that no exception among them takes away. */
function isRewriting({ rules, matched, count }: ConditionalRules, place: number): boolean {
  const { rewrite, meaning } = rules[place]!
  if (rewrite === null || isException(meaning)) return false
  for (let k = 0; k < count; k++) {
    const other = rules[matched[k]!]!
    if (other.rewrite === null || !isException(other.meaning)) continue
    if (isImportant(meaning) && !isImportant(other.meaning)) continue
    const { isAny, rcode, type, address } = other.rewrite
    if (isAny || (rcode === rewrite.rcode && type === rewrite.type && address === rewrite.address)) return false
  }
  return true
}

/** Puts the places of the rules that give the answer into `places`: the first response code, or addresses. Returns how many. */
export function takeRewrites(conditional: ConditionalRules, places: Int32Array): number {
  const { rules, matched, count } = conditional
  let taken = 0
  for (let k = 0; k < count && taken < places.length; k++) {
    const place = matched[k]!
    if (!isRewriting(conditional, place)) continue
    const isCode = rules[place]!.rewrite!.rcode !== 0
    if (isCode) taken = 0
    places[taken++] = place
    if (isCode) break
  }
  return taken
}

/** Place of the first matched rule without an answer that says this of this list; -1 for none. */
export function heldPlace({ rules, matched, count }: ConditionalRules, meaning: number, list: number): number {
  for (let k = 0; k < count; k++) {
    const rule = rules[matched[k]!]!
    if (rule.meaning === meaning && rule.list === list && rule.rewrite === null) return matched[k]!
  }
  return -1
}
