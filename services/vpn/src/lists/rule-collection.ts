import {
  maxAudiences,
  maxBundledPatterns,
  maxBundledRules,
  noConditions,
  type BundledRule,
  type RuleTarget,
} from '../dns/policy/bundled-rule.ts'
import { Meaning } from '../dns/policy/membership.ts'
import { Cover, type Weight } from './formats/rule.ts'
import type { ConditionalLine } from './list-reader.ts'

/** Returns the meaning of a rule of this weight: one of `Meaning`'s first four. */
export const meaningOf = ({ isException, isImportant }: Weight): number =>
  (isException ? Meaning.allows : 0) + (isImportant ? Meaning.blocksImportantly : 0)

/** Collects the rules of all lists that have modifiers or are about addresses, within their bounds. */
export class RuleCollection {
  readonly rules: BundledRule[] = []
  readonly #known = new Set<string>()
  readonly #audiences = new Set<string>()
  #patterns = 0

  /**
   * Makes a rule of a line. Returns why there is no room for it, or undefined for one that adds nothing: the list said so before,
   * or it can hold for no one.
   */
  read(line: ConditionalLine, { text, list }: { text: string; list: number }): BundledRule | string | undefined {
    const { conditions = noConditions, weight } = line
    if (conditions.ctag === false) return undefined
    if (this.rules.length >= maxBundledRules) return 'too many rules with modifiers'
    if (line.kind === 'pattern' && this.#patterns >= maxBundledPatterns) return 'too many patterns with modifiers'
    const { client } = conditions
    const isNewAudience = client !== null && !this.#audiences.has(client)
    if (isNewAudience && this.#audiences.size >= maxAudiences) return 'too many different clients'
    if (this.#known.has(`${list} ${line.key}`)) return undefined
    return { text, list, meaning: meaningOf(weight), target: targetOf(line), conditions }
  }

  add(rule: BundledRule, key: string): void {
    this.rules.push(rule)
    this.#known.add(`${rule.list} ${key}`)
    if (rule.target.kind === 'pattern') this.#patterns += 1
    if (rule.conditions.client !== null) this.#audiences.add(rule.conditions.client)
  }
}

function targetOf(line: ConditionalLine): RuleTarget {
  if (line.kind === 'address') return { kind: 'address', address: line.address }
  if (line.kind === 'pattern') return { kind: 'pattern', text: line.text }
  const { names, cover } = line
  return {
    kind: 'name',
    name: names[0] ?? '',
    itself: (cover & Cover.itself) !== 0,
    below: (cover & Cover.below) !== 0,
  }
}
