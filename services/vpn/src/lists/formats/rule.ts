import type { Conditions } from '../../dns/policy/bundled-rule.ts'

/** Names that an entry covers. */
export const Cover = {
  /** The name alone. */
  itself: 1,
  /** The names below it alone. */
  below: 2,
  /** Both. */
  both: 3,
} as const
/** A value of `Cover`. */
export type CoverCode = (typeof Cover)[keyof typeof Cover]

/** Weight of an entry. */
export interface Weight {
  /** It allows; otherwise it blocks. */
  readonly isException: boolean
  /** Adblock's `$important`. */
  readonly isImportant: boolean
}

/** One line of a list. */
export type Rule =
  | { readonly kind: 'comment' }
  | { readonly kind: 'unsupported'; readonly reason: string }
  | {
      readonly kind: 'names'
      /** Lower case, punycode, no final dot; at least one. */
      readonly names: readonly string[]
      readonly cover: CoverCode
      readonly weight: Weight
      /** The same for rules that are identical. */
      readonly key: string
      /** Undefined for a rule that always holds. */
      readonly conditions?: Conditions
    }
  | {
      readonly kind: 'pattern'
      readonly text: string
      readonly weight: Weight
      readonly key: string
      readonly conditions?: Conditions
    }
  /** About an address in answers; in canonical form. */
  | {
      readonly kind: 'address'
      readonly address: string
      readonly weight: Weight
      readonly key: string
      readonly conditions?: Conditions
    }
  /** `$badfilter`: takes away every rule with this key. */
  | { readonly kind: 'cancel'; readonly key: string }

/** The list formats that can be detected. */
export type ListFormat = 'hosts' | 'domains' | 'wildcard' | 'adblock' | 'dnsmasq'

export const comment: Rule = { kind: 'comment' }
export const unsupported = (reason: string): Rule => ({ kind: 'unsupported', reason })

/** The weight of a line in formats that know blocking only. */
export const plainBlock: Weight = { isException: false, isImportant: false }
