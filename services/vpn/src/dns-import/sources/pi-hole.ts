import { isIP } from 'node:net'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { checkContent } from '../../foreign-files/check-content.ts'
import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import type { ForeignStore } from '../../foreign-files/foreign-store.ts'
import { DnsFinds, type FoundDns, titleOf } from '../found-dns.ts'
import { type GroupedList, type GroupedRule, takeGroups } from './pi-hole-groups.ts'
import { upstreamOfPiHole } from './upstream-forms.ts'

const PiHoleFile = z.object({
  dns: z.object({
    upstreams: z.array(z.string()).default([]),
    hosts: z.array(z.string()).default([]),
    cnameRecords: z.array(z.string()).default([]),
    revServers: z.array(z.string()).default([]),
  }),
})

/** Returns true if the database is the `gravity.db` of a Pi-hole. */
export const isGravity = ({ tables }: ForeignStore): boolean => tables.has('adlist') && tables.has('domainlist')

/** What rows of `domainlist` do, by their number. */
const domainTypes = [
  { action: 'allow', isPattern: false },
  { action: 'block', isPattern: false },
  { action: 'allow', isPattern: true },
  { action: 'block', isPattern: true },
] as const

/** The pattern that Pi-hole makes of "add as wildcard": the domain and everything below it. */
const wildcard = /^\(\\\.\|\^\)([a-z0-9.\\_-]+)\$$/i

/** Reads lists, domains, and the groups of clients of a `gravity.db`. */
export function readGravity(store: ForeignStore): FoundDns {
  const finds = new DnsFinds('pi-hole')
  const lists: GroupedList[] = []
  for (const row of store.rows('adlist')) {
    const [url, comment] = [row['address'], row['comment']].map((value) => (typeof value === 'string' ? value : ''))
    if (row['type'] === 1) finds.omit(titleOf(url ?? ''), 'is a list of allowed names; such lists are not known here')
    else {
      finds.takeList({ name: comment ?? '', url: url ?? '', enabled: row['enabled'] === 1 })
      lists.push({ id: Number(row['id']), url: url ?? '' })
    }
  }
  const rules: GroupedRule[] = []
  for (const row of store.rows('domainlist')) {
    const { domain: written } = row
    const text = typeof written === 'string' ? written : ''
    const kind = domainTypes[Number(row['type'])]
    const domain = kind?.isPattern === true ? wildcard.exec(text)?.[1]?.replaceAll('\\', '') : text
    if (kind === undefined || domain === undefined) finds.omit(text, 'is a pattern; put it into a list of your own')
    else rules.push({ id: Number(row['id']), action: kind.action, domain, enabled: row['enabled'] === 1 })
  }
  takeGroups(finds, store, { lists, rules })
  return finds
}

/** Reads upstreams, names and servers of zones of a `pihole.toml`. */
export function readPiHoleFile({ name, content }: GivenFile): FoundDns {
  const value = parseToml(name, content.toString('utf8'))
  const { upstreams, hosts, cnameRecords, revServers } = checkContent(name, 'is no pihole.toml', {
    schema: PiHoleFile,
    value,
  }).dns
  const finds = new DnsFinds('pi-hole')
  for (const upstream of upstreams) {
    const ours = upstreamOfPiHole(finds, upstream)
    if (ours !== undefined) finds.upstreams.push(ours)
  }
  finds.records.push(...hosts)
  for (const record of cnameRecords) takeCname(finds, record)
  for (const server of revServers) takeReverseServer(finds, server)
  return finds
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const { line } = error as { line?: number }
    throw new FileProblem(file, `is not valid TOML${line === undefined ? '' : `, line ${line}`}`)
  }
}

/** `name[,name…],target[,TTL]`. */
function takeCname(finds: DnsFinds, text: string): void {
  const parts = text.split(',').map((part) => part.trim())
  const ttl = /^\d+$/.test(parts.at(-1) ?? '') ? parts.pop() : undefined
  const target = parts.pop()
  if (target === undefined || parts.length === 0) return finds.omit(text, 'is no CNAME record')
  for (const name of parts) finds.records.push([name, ttl ?? [], 'CNAME', target].flat().join(' '))
}

/** `enabled,network,server[#port][,domain]`. */
function takeReverseServer(finds: DnsFinds, text: string): void {
  const [enabled, network = '', server = '', domain = ''] = text.split(',').map((part) => part.trim())
  const ours = upstreamOfPiHole(finds, server)
  if (enabled !== 'true') return finds.omit(text, 'is off')
  if (ours === undefined) return
  const zones = [isIP(network) === 4 ? `${network}/32` : isIP(network) === 6 ? `${network}/128` : network, domain]
  for (const zone of zones) if (zone !== '') finds.zones.push({ zone, servers: [ours] })
}
