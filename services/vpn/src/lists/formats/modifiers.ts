import { isIP } from 'node:net'
import { parseAudience, splitUnescaped } from '../../dns/policy/audience.ts'
import { noConditions, type Conditions, type Rewrite } from '../../dns/policy/bundled-rule.ts'
import { Rcode, Type } from '../../dns/wire/codes.ts'
import { typeNumber } from '../../dns/wire/code-names.ts'
import { readName } from '../domain-name.ts'
import type { Weight } from './rule.ts'

/** Modifiers of one rule. */
export interface Modifiers {
  readonly isImportant: boolean
  readonly isCancel: boolean
  readonly conditions: Conditions
  /** The conditions in one form, for telling rules apart; empty without any. */
  readonly key: string
}

/** Modifiers that are known to mean something, but not to a resolver; others are "unknown", so that reasons stay few. */
const browserModifiers = new Set(
  `all app content cookie csp document doc domain empty first-party 1p font frame
  generichide genericblock header image inline-script jsonprune match-case media method mp4 network noop object other
  permissions ping popunder popup redirect redirect-rule removeheader removeparam replace rewrite script stealth strict1p
  strict3p stylesheet subdocument third-party 3p to urlblock webrtc websocket xmlhttprequest xhr`.split(/\s+/),
)

/** The tags a client can have in AdGuard Home. */
const clientTags = new Set(
  `device_audio device_camera device_gameconsole device_laptop device_nas device_pc device_phone device_printer
  device_securityalarm device_tablet device_tv device_other os_android os_ios os_linux os_macos os_windows os_other
  user_admin user_regular user_child`.split(/\s+/),
)

type Part = Partial<Conditions> | string

const readers: Readonly<Record<string, (value: string, weight: Pick<Weight, 'isException'>) => Part>> = {
  denyallow: readDenyallow,
  dnstype: readTypes,
  client: (value) => (parseAudience(value) === undefined ? 'wrong value of client' : { client: value }),
  ctag: readTags,
  dnsrewrite: (value, { isException }) => readRewrite(value, isException),
}

/** Reads the modifiers behind a rule's `$`. Returns why the rule means nothing here when one of them cannot be followed. */
export function readModifiers(parts: readonly string[], isException: boolean): Modifiers | string {
  let isImportant = false
  let isCancel = false
  const conditions: { -readonly [Member in keyof Conditions]: Conditions[Member] } = { ...noConditions }
  const keys: string[] = []
  for (const part of parts) {
    const [name, value] = splitModifier(part)
    if (name === 'important') isImportant = true
    else if (name === 'badfilter') isCancel = true
    else {
      const read = readers[name]
      if (read === undefined) return modifierReason(name)
      const found = read(value, { isException })
      if (typeof found === 'string') return found
      Object.assign(conditions, found)
      keys.push(`${name}=${value}`)
    }
  }
  return { isImportant, isCancel, conditions, key: keys.toSorted().join(',') }
}

/** Splits what stands behind the `$` into modifiers: at commas without a backslash. */
export const splitModifiers = (text: string): string[] => splitUnescaped(text, ',')

function splitModifier(part: string): [string, string] {
  const at = part.indexOf('=')
  const name = (at === -1 ? part : part.slice(0, at)).trim().toLowerCase()
  return [name, at === -1 ? '' : part.slice(at + 1).trim()]
}

function modifierReason(modifier: string): string {
  const name = modifier.replace(/^~/, '')
  return browserModifiers.has(name) ? `modifier ${name}` : 'unknown modifier'
}

function readDenyallow(value: string): Part {
  const exceptNames: string[] = []
  for (const part of value.split('|')) {
    const reading = readName(part.trim())
    if ('reason' in reading) return 'wrong value of denyallow'
    exceptNames.push(reading.name)
  }
  return { exceptNames }
}

function readTypes(value: string): Part {
  const types: number[] = []
  const exceptTypes: number[] = []
  for (const part of value.split('|')) {
    const isExcept = part.startsWith('~')
    const type = typeNumber(isExcept ? part.slice(1) : part)
    if (type === undefined) return 'unknown type in dnstype'
    ;(isExcept ? exceptTypes : types).push(type)
  }
  return { types, exceptTypes }
}

/** Peers have no tags: a rule for a tag holds for no one, one that only excludes tags for everybody. */
function readTags(value: string): Part {
  const tags = value.split('|')
  if (tags.some((tag) => !clientTags.has(tag.replace(/^~/, '')))) return 'unknown tag in ctag'
  return { ctag: tags.every((tag) => tag.startsWith('~')) }
}

const rcodes: Readonly<Record<string, number>> = {
  NOERROR: Rcode.noError,
  NXDOMAIN: Rcode.noSuchName,
  REFUSED: Rcode.refused,
  SERVFAIL: Rcode.serverFailure,
}

const rewriteTo = (rcode: number, type = 0, address = ''): Part => ({
  rewrite: { rcode, type, address, isAny: false } satisfies Rewrite,
})

/** `NXDOMAIN`, an address, or `RCODE;TYPE;VALUE`. Names as targets would need another look-up and are left out. */
function readRewrite(value: string, isException: boolean): Part {
  if (value === '') {
    const all: Rewrite = { rcode: 0, type: 0, address: '', isAny: true }
    return isException ? { rewrite: all } : 'empty dnsrewrite'
  }
  if (!value.includes(';')) {
    const rcode = rcodes[value]
    if (rcode !== undefined) return rewriteTo(rcode)
    const family = isIP(value)
    return family === 0 ? 'dnsrewrite to a name' : rewriteTo(Rcode.noError, family === 4 ? Type.a : Type.aaaa, value)
  }
  const [word = '', type = '', data = ''] = value.split(';').map((part) => part.trim())
  const rcode = rcodes[word.toUpperCase()]
  if (rcode === undefined) return 'wrong value of dnsrewrite'
  if (type === '' || rcode !== Rcode.noError) return rewriteTo(rcode)
  const wanted = { A: 4, AAAA: 6 }[type.toUpperCase()]
  if (wanted === undefined)
    return type.toUpperCase() === 'CNAME' ? 'dnsrewrite to a name' : 'dnsrewrite to another type'
  if (isIP(data) !== wanted) return 'wrong value of dnsrewrite'
  return rewriteTo(rcode, wanted === 4 ? Type.a : Type.aaaa, data)
}
