import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { maxLabelLength, maxNameLength } from './name-hasher.ts'

/** A name in its one form, or why it is none. */
export type NameReading = { readonly name: string } | { readonly reason: string }

/**
 * Brings a name into the form in which names are compared: lower case, IDN as punycode (UTS 46), no final dot. Letters, digits,
 * `-` and `_` may be in its labels.
 */
export function readName(text: string): NameReading {
  const plain = text.endsWith('.') ? text.slice(0, -1) : text
  if (isIP(plain) !== 0 || /^\d+(\.\d+){3}$/.test(plain)) return { reason: 'address' }
  const name = /^[\0-\x7f]*$/.test(plain) ? plain.toLowerCase() : domainToASCII(plain)
  const isWell =
    name.length <= maxNameLength &&
    name.split('.').every((label) => label.length <= maxLabelLength && /^[a-z0-9_-]+$/.test(label))
  if (!isWell || !/[a-z_-][^.]*$/.test(name)) return { reason: 'not a domain name' }
  return { name }
}

/** As `readName`, for a name with at least two labels: a whole top-level domain is never meant by a bare word. */
export function readDomain(text: string): NameReading {
  const reading = readName(text)
  return 'name' in reading && !reading.name.includes('.') ? { reason: 'single label' } : reading
}

/**
 * Reads a domain as a person types it: upper case, a final dot, letters of any script, `*.` before it. Undefined when it is
 * none: labels have 1 to 63 characters, the whole at most 253 (RFC 1035); an underscore is allowed, a single label too.
 * The domain is lower case and punycode; `belowOnly` says that it was written `*.domain`: only what is below.
 */
export function parseRuleDomain(text: string) {
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
