import type { ConditionalRules } from './conditional-rules.ts'
import { Meaning } from './membership.ts'

const isException = (meaning: number): boolean => meaning === Meaning.allows || meaning === Meaning.allowsImportantly
const isImportant = (meaning: number): boolean =>
  meaning === Meaning.blocksImportantly || meaning === Meaning.allowsImportantly

/** Returns true if the rule at this place, one of those that matched, gives an answer that no exception among them takes away. */
export function isRewriting({ rules, matched, count }: ConditionalRules, place: number): boolean {
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
