import { isDnsmasqLine } from './dnsmasq.ts'
import { isHostsLine } from './hosts.ts'
import type { ListFormat } from './rule.ts'

/** So much of a list's beginning is looked at, bytes, and so many of its lines that are no comments. */
const sampleBytes = 256 * 1024
const sampleLines = 500

/** The format most lines of a list's beginning have. Headers are long in some lists, hence many lines are looked at. */
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
