import { readDomain } from '../domain-name.ts'
import { isCosmetic, readAdblock } from './adblock.ts'
import { isDnsmasqLine, readDnsmasq } from './dnsmasq.ts'
import { isHostsLine, readHosts } from './hosts.ts'
import { comment, Cover, plainBlock, unsupported, type ListFormat, type Rule } from './rule.ts'

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
