import { domainToASCII } from 'node:url'

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

/** A host name as it goes into a question; undefined when it is none. */
export function asciiName(text: string): string | undefined {
  const plain = text.replace(/\.$/, '').toLowerCase()
  if (/[\s\p{Cc}]/u.test(plain)) return undefined
  // The URL standard's function refuses some characters DNS has, so it is asked only where it is needed.
  const ascii = /^[\u0021-\u007e]+$/.test(plain) ? plain : domainToASCII(plain)
  return isName(ascii) ? ascii : undefined
}

function isName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}
