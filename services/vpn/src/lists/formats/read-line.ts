import { isIP } from 'node:net'
import { readDomain, readName } from '../domain-name.ts'
import { isCosmetic, readAdblock } from './adblock.ts'
import { comment, Cover, type ListFormat, plainBlock, type Rule, unsupported } from './rule.ts'

/**
 * Reads one line. Its shape decides, whatever the list's format, as lists mix them; the format settles what shape leaves
 * open: whether a bare name is about the names below it too, and whether `##` begins a comment.
 *
 * @param line without blanks at its ends and without a line break
 */
export function readLine(line: string, format: ListFormat): Rule {
  if (line === '' || isComment(line, format)) return comment
  if (/\p{Cc}/u.test(line.replaceAll('\t', ' '))) return unsupported('control character')
  const text = line.replace(/\s+#.*$/s, '')
  if (isDnsmasqLine(text)) return readDnsmasq(text)
  const words = text.split(/\s+/)
  if (isHostsLine(words)) return readHosts(words)
  // Names of clients may hold blanks.
  if (words.length > 1 && /\$(\S*,)?client=/i.test(words[0] ?? '')) return readAdblock(text)
  if (words.length > 1) return isCosmetic(line) ? unsupported('cosmetic') : unsupported('unknown form')
  if (format !== 'adblock' && /^[^|@*/^$#=:]+$/.test(text)) return readBare(text, format)
  return readAdblock(text)
}

function isComment(line: string, format: ListFormat): boolean {
  if (line.startsWith('!')) return true
  if (line.startsWith('[')) return /^\[[^\]]*\]$/.test(line)
  if (line.startsWith('//') && format !== 'adblock') return true
  return line.startsWith('#') && !(format === 'adblock' && /^#@?[?$%]?\??#[^#\s]|^#@?%#/.test(line))
}

/** A name with nothing around it; a leading dot is how some proxies write "and all below". */
function readBare(text: string, format: ListFormat): Rule {
  const reading = readDomain(text.replace(/^\./, ''))
  if ('reason' in reading) return unsupported(reading.reason)
  const cover = format === 'hosts' && !text.startsWith('.') ? Cover.itself : Cover.both
  return { kind: 'names', names: [reading.name], cover, weight: plainBlock, key: text.toLowerCase() }
}

const shape = /^(local|address|server)=\/(.*)\/([^/]*)$/i

/** Returns true if a line has the shape of dnsmasq's settings. */
const isDnsmasqLine = (line: string): boolean => /^(local|address|server)=\//i.test(line)

/** `address=/d/`, `local=/d/`, `server=/d/`: d and everything below, when nothing or nowhere is given as the target. */
function readDnsmasq(line: string): Rule {
  const [, word = '', domains = '', target = ''] = shape.exec(line) ?? []
  if (domains === '') return unsupported('not a domain name')
  const isBlock = target === '' || (word.toLowerCase() === 'address' && (target === '#' || isNowhere(target)))
  if (!isBlock) return unsupported('leads elsewhere')
  const readings = domains.split('/').map(readName)
  const names = readings.flatMap((reading) => ('name' in reading ? [reading.name] : []))
  if (names.length === 0) return unsupported('not a domain name')
  if (names.some((name) => !name.includes('.'))) return unsupported('single label')
  return { kind: 'names', names, cover: Cover.both, weight: plainBlock, key: line.toLowerCase() }
}

/** Names every hosts file has, and which are about the machine itself. */
const isLocal = (name: string): boolean =>
  /^(localhost|localhost[46]?\.localdomain[46]?|localhost[46]|local|broadcasthost|ip6-[a-z]+|0\.0\.0\.0|[a-z.-]*\.?localdomain)$/i.test(
    name,
  )

/** Returns true if an address in a hosts file stands for nowhere, so that its names are blocked. */
const isNowhere = (address: string): boolean =>
  address === '0' ||
  /^(0\.0\.0\.0|127(\.\d{1,3}){3}|::1?|0*(:0*){7}[01]?|::ffff:(0\.0\.0\.0|127(\.\d{1,3}){3}))$/i.test(address)

/** Returns true if a line has the shape of a hosts file's. */
const isHostsLine = (words: readonly string[]): boolean =>
  words.length > 1 && (isIP(words[0]!.replace(/%.*$/, '')) !== 0 || words[0] === '0')

/** `0.0.0.0 name another`: exactly these names. */
function readHosts(words: readonly string[]): Rule {
  const [address = '', ...given] = words
  const others = given.filter((name) => !isLocal(name))
  if (others.length === 0) return comment
  if (!isNowhere(address.replace(/%.*$/, ''))) return unsupported('leads elsewhere')
  const readings = others.map(readDomain)
  const names = readings.flatMap((reading) => ('name' in reading ? [reading.name] : []))
  if (names.length === 0) return unsupported(readings.flatMap((r) => ('reason' in r ? [r.reason] : []))[0] ?? 'empty')
  return { kind: 'names', names, cover: Cover.itself, weight: plainBlock, key: words.join(' ').toLowerCase() }
}

/** Bytes at the beginning of a list that are examined, and number of lines that are not comments. */
const sampleBytes = 256 * 1024
const sampleLines = 500

/** The format most lines of a list's beginning have. Headers are long in some lists, hence many lines are examined. */
export function detectFormat(text: Uint8Array): ListFormat {
  const sample = new TextDecoder().decode(text.slice(0, sampleBytes))
  if (/^\s*\[adblock/i.test(sample)) return 'adblock'
  const counts: Record<ListFormat, number> = { adblock: 0, hosts: 0, dnsmasq: 0, wildcard: 0, domains: 0 }
  let seen = 0
  for (const raw of sample.split('\n')) {
    const line = raw.trim()
    if (line === '' || /^(!|#(?![@?$%]?#)|\[)/.test(line)) continue
    counts[formatOf(line)] += 1
    if (++seen === sampleLines) break
  }
  const formats = Object.keys(counts) as ListFormat[]
  return seen === 0 ? 'domains' : formats.reduce((best, format) => (counts[format] > counts[best] ? format : best))
}

function formatOf(line: string): ListFormat {
  if (isDnsmasqLine(line)) return 'dnsmasq'
  if (isHostsLine(line.split(/\s+/))) return 'hosts'
  if (/^\*\.[^*^|$]+$/.test(line)) return 'wildcard'
  if (/^(\|\||@@|\||\/)|[\^$]|##|#@#|\*/.test(line)) return 'adblock'
  return 'domains'
}
