import { isIP } from 'node:net'
import { parseRuleDomain } from '../../lists/domain-name.ts'
import type { DnsFinds } from '../found-dns.ts'

/** Addresses that stand for "blocked" in a hosts line. */
const nowhere = new Set(['0.0.0.0', '127.0.0.1', '::', '::1'])

/**
 * Reads a rule of AdGuard Home: `||example.org^` and `@@||example.org^`, a bare name, or a line of a hosts file. Rules with
 * patterns or modifiers are left out.
 */
export function takeAdGuardRule(finds: DnsFinds, line: string): void {
  const text = line.trim()
  if (text === '' || text.startsWith('!') || text.startsWith('#')) return
  const [first = '', ...names] = text.replace(/\s#.*$/, '').split(/\s+/)
  if (isIP(first) !== 0 && names.length > 0) {
    if (nowhere.has(first)) for (const name of names) takeName(finds, text, { name, action: 'block' })
    else finds.records.push(`${first} ${names.join(' ')}`)
    return
  }
  const [, exception = '', , pattern = '', modifiers = ''] =
    /^(@@)?(\|\|)?([^^$|/]+)\^?\|?(?:\$(.*))?$/.exec(text) ?? []
  const isPlain = pattern !== '' && (modifiers === '' || modifiers === 'important')
  if (!isPlain) finds.omit(text, 'has a pattern or modifiers; put it into a list of your own')
  else takeName(finds, text, { name: pattern, action: exception === '' ? 'block' : 'allow' })
}

function takeName(finds: DnsFinds, text: string, { name, action }: { name: string; action: 'block' | 'allow' }): void {
  if (parseRuleDomain(name) === undefined) finds.omit(text, 'is about no domain')
  else finds.rules.push({ action, domain: name, enabled: true })
}
