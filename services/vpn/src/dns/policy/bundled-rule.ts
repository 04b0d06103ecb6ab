/** Target of a list's rule with modifiers. */
export type RuleTarget =
  /** `name` lower case; the name itself, the names below it, or both. */
  | { readonly kind: 'name'; readonly name: string; readonly itself: boolean; readonly below: boolean }
  /** A pattern in Adblock's words, as `createPatternProgram` takes it. */
  | { readonly kind: 'pattern'; readonly text: string }
  /** An address in an answer; IPv4 or IPv6 in canonical form. */
  | { readonly kind: 'address'; readonly address: string }

/** `$dnsrewrite`: the answer a name gets. */
export interface Rewrite {
  readonly rcode: number
  /** DNS type of the record; 0 for an answer without one. */
  readonly type: number
  /** The record's address; empty without one. */
  readonly address: string
  /** An exception without a value: takes every rewrite away. */
  readonly isAny: boolean
}

/** Under what conditions a rule holds. Empty lists and null stand for "always". */
export interface Conditions {
  /** `$denyallow`: not for these names and what is below them. */
  readonly exceptNames: readonly string[]
  /** `$dnstype`: for these types of questions only. */
  readonly types: readonly number[]
  /** `$dnstype=~…`: for all but these. */
  readonly exceptTypes: readonly number[]
  /** `$client`: the modifier's value; see `audience.ts`. */
  readonly client: string | null
  /** `$ctag`: whether it holds for clients without tags. Peers have none. */
  readonly ctag: boolean | null
  readonly rewrite: Rewrite | null
}

/** A rule of a list that needs more than its name to be decided: it has modifiers, or is about addresses. */
export interface BundledRule {
  /** As it stands in the list. */
  readonly text: string
  readonly list: number
  /** One of `Meaning`'s first four. */
  readonly meaning: number
  readonly target: RuleTarget
  readonly conditions: Conditions
}

/** No condition at all. */
export const noConditions: Conditions = {
  exceptNames: [],
  types: [],
  exceptTypes: [],
  client: null,
  ctag: null,
  rewrite: null,
}

/** Number of such rules kept for all lists together; patterns among them are tried one by one and have their own bound. */
export const maxBundledRules = 20_000
/** Maximum number of patterns among bundled rules, all lists together. */
export const maxBundledPatterns = 256

/** Number of different values of `$client`: each takes a bit in a client's record. */
export const maxAudiences = 32
