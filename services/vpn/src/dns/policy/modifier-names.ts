import { Trait } from './verdict.ts'

const names = [
  ['dnstype', Trait.dnstype],
  ['denyallow', Trait.denyallow],
  ['client', Trait.client],
  ['dnsrewrite', Trait.dnsrewrite],
] as const

/** Names of the modifiers among these `Trait` bits; `client` stands for `$ctag` as well. */
export const modifierNames = (traits: number): string[] =>
  names.flatMap(([name, bit]) => ((traits & bit) === 0 ? [] : [name]))
