import { readName } from '../lists/domain-name.ts'

/** A domain a rule is about. */
export interface RuleDomain {
  /** Lower case, punycode, without a final dot. */
  readonly domain: string
  /** It was written `*.domain`: only what is below. */
  readonly belowOnly: boolean
}

/**
 * Reads a domain as a person types it: upper case, a final dot, letters of any script, `*.` before it. Undefined when it is
 * none: labels have 1 to 63 characters, the whole at most 253 (RFC 1035); an underscore is allowed, a single label too.
 */
export function parseRuleDomain(text: string): RuleDomain | undefined {
  const trimmed = text.trim()
  const belowOnly = trimmed.startsWith('*.')
  const name = asciiName(belowOnly ? trimmed.slice(2) : trimmed)
  return name === undefined ? undefined : { domain: name, belowOnly }
}

/** A host name as it goes into a question, the same form as in lists; undefined when it is none. */
export function asciiName(text: string): string | undefined {
  // The conversion of other scripts would leave these out without a word.
  if (/[\s\p{Cc}]/u.test(text)) return undefined
  const reading = readName(text)
  return 'name' in reading ? reading.name : undefined
}
