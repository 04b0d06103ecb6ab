import { isIP } from 'node:net'
import { isFault, readRecord, type RecordContent, type RecordFault } from './record-value.ts'
import { DnsRecordType, maxRecords } from './schema.ts'

/** A record that a line describes, or what is wrong with the line. */
export interface RecordLine {
  /** Counted from 1. */
  readonly line: number
  readonly record: (RecordContent & { readonly ttl: number; readonly reverse: boolean }) | undefined
  readonly fault: RecordFault | undefined
}

/** Records and faults that are read; what follows is not looked at. */
const maxLines = 2 * maxRecords
const defaultTtl = 300
const maxTtl = 604_800
/** Names of one address; each gets a record. */
const maxPerLine = 1000
/** Names of every hosts file, which the resolver knows itself. */
const ownNames = /^(?:localhost(?:\.localdomain)?|broadcasthost|ip6-[a-z]+)$/i
const nullAddresses = new Set(['0.0.0.0', '::'])
const types: ReadonlySet<string> = new Set(DnsRecordType.options)

/** Reads lines of a hosts file, and lines of name, type and value. */
export function readRecordLines(text: string): RecordLine[] {
  const lines: RecordLine[] = []
  for (const [index, raw] of text
    .replace(/^\u{feff}/u, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.trim()
    if (lines.length >= maxLines)
      return [
        ...lines.slice(0, maxLines),
        faulty(index + 1, 'name', `is one of too many; at most ${maxRecords} records fit`),
      ]
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const first = /^\S+/.exec(line)?.[0] ?? ''
    lines.push(
      ...(isIP(first) === 0 || isRecordLine(line) ? [recordLine(line, index + 1)] : hostLines(line, index + 1)),
    )
  }
  return lines
}

/** `192.168.1.5 PTR nas.home`: a record although it begins with an address. */
const isRecordLine = (line: string): boolean => /^\S+\s+(?:\d+\s+)?(?:IN\s+)?PTR\s/i.test(line)

/** `name [TTL] [IN] type value`, TTL and class in either order, as in zone files. */
function recordLine(text: string, line: number): RecordLine {
  const form = /^(\S+)\s+(?:(\d+)\s+(?:IN\s+)?|IN\s+(?:(\d+)\s+)?)?(\S+)\s+(.+)$/i.exec(text)
  if (form === null) return faulty(line, 'value', 'is missing: a line has a name, a type and a value')
  const [, name = '', before, behind, typeName = '', value = ''] = form
  const type = typeName.toUpperCase()
  if (!types.has(type))
    return faulty(line, 'type', `must be one of ${[...types].join(', ')}: "${typeName.slice(0, 20)}"`)
  const ttl = Number(before ?? behind ?? defaultTtl)
  if (ttl > maxTtl) return faulty(line, 'ttl', `must be at most ${maxTtl}`)
  return read(line, { name, type: type as DnsRecordType, value }, { ttl, reverse: true })
}

/** `address name alias …`; the address leads back to the first name. */
function hostLines(text: string, line: number): RecordLine[] {
  const [address = '', ...names] = text.replace(/#.*$/, '').trim().split(/\s+/)
  const own = names.filter((name) => !ownNames.test(name)).slice(0, maxPerLine)
  if (names.length === 0) return [faulty(line, 'name', `is missing behind the address ${address}`)]
  if (own.length > 0 && nullAddresses.has(address))
    return [faulty(line, 'value', `is ${address}: lines that block names belong into a list`)]
  const type = isIP(address) === 4 ? 'A' : 'AAAA'
  return own.map((name, n) => read(line, { name, type, value: address }, { ttl: defaultTtl, reverse: n === 0 }))
}

function read(
  line: number,
  input: Parameters<typeof readRecord>[0],
  more: { readonly ttl: number; readonly reverse: boolean },
): RecordLine {
  const found = readRecord(input)
  return isFault(found)
    ? { line, record: undefined, fault: found }
    : { line, record: { ...found, ...more }, fault: undefined }
}

const faulty = (line: number, field: RecordFault['field'], message: string): RecordLine => ({
  line,
  record: undefined,
  fault: { field, message },
})
