/** Finds which patterns of lists a name matches. */
export interface PatternMatcher {
  /**
   * Adds what patterns say of a name to `found`, eight words as in `membership.ts`; bits that are there stay. The name is its
   * lower-case text with dots, without a final one. Allocates nothing.
   */
  match(name: Uint8Array, length: number, found: Uint32Array): void
}

/** A pattern that matches a name: its text, one of `Meaning`, and the list's number. */
export interface MatchedPattern {
  readonly text: string
  readonly meaning: number
  readonly list: number
}

/** Matcher of a compiled program of patterns; an empty one matches nothing. */
export function createPatternMatcher(_program: Int32Array): PatternMatcher {
  return { match() {} }
}

/** The patterns that match, with their texts; for explanations only. */
export function explainPatterns(_program: Int32Array, _name: Uint8Array, _length: number): readonly MatchedPattern[] {
  return []
}
