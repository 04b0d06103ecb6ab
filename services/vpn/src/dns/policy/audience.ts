import { addressBytes } from '../address-bytes.ts'

/** A client, as `$client` sees it. */
export interface AudienceMember {
  readonly name?: string | undefined
  /** With or without a prefix length, which does not count. */
  readonly addresses: readonly string[]
}

/** The values of a `$client` modifier: names, addresses and networks; `~` before one excludes it. */
export interface Audience {
  readonly permitted: readonly string[]
  readonly excluded: readonly string[]
}

/**
 * Reads the value of `$client`: parts between `|`, quoted or not, with `\` before characters that mean something. Undefined
 * when it holds nothing.
 */
export function parseAudience(value: string): Audience | undefined {
  const permitted: string[] = []
  const excluded: string[] = []
  for (const part of splitUnescaped(value, '|')) {
    const trimmed = part.trim()
    const isExcluded = trimmed.startsWith('~')
    const text = unquote(isExcluded ? trimmed.slice(1) : trimmed)
    if (text === '') return undefined
    ;(isExcluded ? excluded : permitted).push(text)
  }
  return permitted.length + excluded.length === 0 ? undefined : { permitted, excluded }
}

/** Returns true if a rule for this audience applies to a client; undefined for an unknown client. */
export function includesClient({ permitted, excluded }: Audience, client: AudienceMember | undefined): boolean {
  const isOne = (text: string) => client !== undefined && isNamed(text, client)
  if (excluded.some(isOne)) return false
  return permitted.length === 0 || permitted.some(isOne)
}

function isNamed(text: string, { name, addresses }: AudienceMember): boolean {
  if (text === name) return true
  const network = networkOf(text)
  if (network === undefined) return false
  return addresses.some((each) => {
    const address = addressBytes(each.replace(/\/\d+$/, ''))
    return address !== undefined && isWithin(address, network)
  })
}

interface Network {
  readonly bytes: Uint8Array
  readonly prefix: number
}

function networkOf(text: string): Network | undefined {
  const [address = '', length] = text.split('/')
  const bytes = addressBytes(address)
  if (bytes === undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  const prefix = length === undefined ? bytes.length * 8 : Number(length)
  return prefix > bytes.length * 8 ? undefined : { bytes, prefix }
}

function isWithin(address: Uint8Array, { bytes, prefix }: Network): boolean {
  if (address.length !== bytes.length) return false
  return bytes.every((byte, k) => {
    const kept = Math.min(8, Math.max(0, prefix - 8 * k))
    const mask = 0xff00 >> kept
    return (byte & mask & 0xff) === (address[k]! & mask & 0xff)
  })
}

/** Splits at a character that has no backslash before it; the backslashes stay. */
export function splitUnescaped(text: string, at: string): string[] {
  const parts: string[] = []
  let part = ''
  for (let k = 0; k < text.length; k++) {
    const char = text[k]!
    if (char === '\\' && k + 1 < text.length) part += char + text[++k]!
    else if (char === at) {
      parts.push(part)
      part = ''
    } else part += char
  }
  return [...parts, part]
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text)
  return (quoted?.[2] ?? text).replaceAll(/\\(.)/gs, '$1')
}
