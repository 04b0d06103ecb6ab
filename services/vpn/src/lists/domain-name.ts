import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { longestLabel, longestName } from './name-hasher.ts'

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
    name.length <= longestName &&
    name.split('.').every((label) => label.length <= longestLabel && /^[a-z0-9_-]+$/.test(label))
  if (!isWell || !/[a-z_-][^.]*$/.test(name)) return { reason: 'not a domain name' }
  return { name }
}

/** As `readName`, for a name with at least two labels: a whole top-level domain is never meant by a bare word. */
export function readDomain(text: string): NameReading {
  const reading = readName(text)
  return 'name' in reading && !reading.name.includes('.') ? { reason: 'single label' } : reading
}
