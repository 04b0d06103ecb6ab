import { isIPv4, isIPv6 } from 'node:net'
import { addressBytes } from '../../dns/address-bytes.ts'
import { reverseName } from '../../dns/reverse-name.ts'
import { wireName } from '../../dns/wire/wire-name.ts'
import { canonicalIpv6 } from '../../interfaces/subnet.ts'
import { asciiName, parseRuleDomain } from '../../lists/domain-name.ts'
import type { DnsRecordType } from './schema.ts'

/** What is wrong with a member of a record. */
export interface RecordFault {
  readonly field: 'name' | 'type' | 'value' | 'ttl'
  /** Follows the member's name. */
  readonly message: string
}

/** A record as it is stored: the name and the value in their one form. */
export interface RecordContent {
  readonly domain: string
  readonly belowOnly: boolean
  readonly type: DnsRecordType
  readonly value: string
}

/** Bytes of text in a TXT record. */
const maxTextBytes = 2000
const maxStringBytes = 255
const maxNumber = 65_535

/** Reads a record as a person writes it. */
export function readRecord(input: {
  readonly name: string
  readonly type: DnsRecordType
  readonly value: string
}): RecordContent | RecordFault {
  const { type } = input
  const owner = readOwner(input.name.trim(), type)
  if (owner === undefined)
    return fault('name', `must be a domain name such as example.com or *.example.com: "${shown(input.name)}"`)
  const value = readers[type](input.value.trim())
  return typeof value === 'string' ? { ...owner, type, value } : value
}

/** Returns true if reading a record found a fault. */
export const isFault = (read: RecordContent | RecordFault): read is RecordFault => 'field' in read

/** The data of a record in wire form, as hexadecimal digits; of a value that `readRecord` returned. */
export function recordData({ type, value }: Pick<RecordContent, 'type' | 'value'>): string {
  return hexOf(dataOf[type](value))
}

const fault = (field: RecordFault['field'], message: string): RecordFault => ({ field, message })

/** The beginning of what somebody wrote, without characters that do not show. */
const shown = (text: string): string => text.slice(0, 60).replace(/\p{C}/gu, '\u{fffd}')

function readOwner(text: string, type: DnsRecordType): Pick<RecordContent, 'domain' | 'belowOnly'> | undefined {
  if (type === 'PTR' && (isIPv4(text) || (isIPv6(text) && !text.includes('%'))))
    return { domain: reverseName(text), belowOnly: false }
  // A name of 253 characters is the longest that fits; with the wildcard's label it has to fit too.
  const owner = parseRuleDomain(text)
  return owner === undefined || (owner.belowOnly && owner.domain.length > 251) ? undefined : owner
}

const nameFault = (text: string) => fault('value', `must be a domain name: "${shown(text)}"`)
const readTarget = (text: string): string | RecordFault => asciiName(text) ?? nameFault(text)

const readers: Record<DnsRecordType, (text: string) => string | RecordFault> = {
  A: (text) => (isIPv4(text) ? text : fault('value', `must be an IPv4 address: "${shown(text)}"`)),
  AAAA: (text) =>
    isIPv6(text) && !text.includes('%')
      ? canonicalIpv6(text)
      : fault('value', `must be an IPv6 address without a zone: "${shown(text)}"`),
  CNAME: readTarget,
  PTR: readTarget,
  MX: (text) => readNumbered(text, ['priority'], '10 mail.example.com'),
  SRV: (text) => readNumbered(text, ['priority', 'weight', 'port'], '0 5 443 web.example.com'),
  TXT: readText,
}

/** Numbers up to 65,535, then a name. */
function readNumbered(text: string, numbers: readonly string[], example: string): string | RecordFault {
  const parts = text.split(/\s+/)
  if (parts.length !== numbers.length + 1)
    return fault('value', `must be ${numbers.join(', ')} and a name, such as ${example}`)
  for (const [n, what] of numbers.entries()) {
    const part = parts[n] ?? ''
    if (!/^\d{1,5}$/.test(part) || Number(part) > maxNumber)
      return fault('value', `has the ${what} "${shown(part)}", which must be a number from 0 to ${maxNumber}`)
  }
  const target = readTarget(parts.at(-1) ?? '')
  return typeof target === 'string' ? [...parts.slice(0, -1).map(Number), target].join(' ') : target
}

/** Text as it is, or strings in quotes, one after another. */
function readText(text: string): string | RecordFault {
  if (/\p{Cc}/u.test(text)) return fault('value', 'must not contain control characters')
  if (text.startsWith('"') && stringsOf(text) === undefined)
    return fault('value', 'has a quotation mark that is not closed, or text between strings')
  const strings = textStrings(text)
  if (strings.some((one) => one.length > maxStringBytes)) return fault('value', 'has a string of more than 255 bytes')
  const size = strings.reduce((sum, one) => sum + one.length, 0)
  return size > maxTextBytes ? fault('value', `must be at most ${maxTextBytes} bytes, and has ${size}`) : text
}

/** The strings of `"one" "two"`, where `\"` is a quotation mark and `\\` a backslash; undefined for anything else. */
function stringsOf(text: string): string[] | undefined {
  const form = /"((?:[^"\\]|\\.)*)"\s*/y
  const strings: string[] = []
  while (form.lastIndex < text.length) {
    const found = form.exec(text)
    if (found === null) return undefined
    strings.push((found[1] ?? '').replace(/\\(.)/g, '$1'))
  }
  return strings
}

/** The strings of a TXT record: those in quotes, or the text in pieces that fit. */
function textStrings(text: string): Buffer[] {
  const strings = text.startsWith('"') ? stringsOf(text) : undefined
  if (strings !== undefined) return strings.map((one) => Buffer.from(one))
  const whole = Buffer.from(text)
  return Array.from({ length: Math.max(1, Math.ceil(whole.length / maxStringBytes)) }, (_, n) =>
    whole.subarray(n * maxStringBytes, (n + 1) * maxStringBytes),
  )
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const nameBytes = (domain: string): Uint8Array => wireName(domain) ?? Uint8Array.of(0)
const ipBytes = (address: string): Uint8Array => addressBytes(address) ?? new Uint8Array(0)

function numberedBytes(value: string): Uint8Array {
  const parts = value.split(' ')
  const numbers = parts.slice(0, -1).map(Number)
  return Uint8Array.from([...numbers.flatMap((n) => [n >> 8, n & 255]), ...nameBytes(parts.at(-1) ?? '')])
}

const dataOf: Record<DnsRecordType, (value: string) => Uint8Array> = {
  A: ipBytes,
  AAAA: ipBytes,
  CNAME: nameBytes,
  PTR: nameBytes,
  MX: numberedBytes,
  SRV: numberedBytes,
  TXT: (value) => Buffer.concat(textStrings(value).flatMap((one) => [Uint8Array.of(one.length), one])),
}
