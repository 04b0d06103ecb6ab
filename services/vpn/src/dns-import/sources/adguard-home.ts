import { isIP } from 'node:net'
import { parse } from 'yaml'
import { z } from 'zod'
import { checkContent } from '../../foreign-files/check-content.ts'
import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import { DnsFinds, type FoundDns, titleOf } from '../found-dns.ts'
import {
  AdGuardClients,
  adGuardSafeSearch,
  AdGuardServices,
  safeSearchOf,
  takeAdGuardClients,
} from './adguard-clients.ts'
import { takeAdGuardRule } from './adguard-rules.ts'
import { upstreamOfAdGuard } from './upstream-forms.ts'

const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? [])
const Filters = list(z.object({ enabled: z.boolean().default(true), url: z.string(), name: z.string().default('') }))
const Rewrites = list(z.object({ domain: z.string(), answer: z.string(), enabled: z.boolean().default(true) }))

const Filtering = { rewrites: Rewrites, blocked_services: AdGuardServices, ...adGuardSafeSearch }

/** `AdGuardHome.yaml` as far as it has something that this service has too. Rewrites, services and safe search stood under `dns` in older versions. */
const AdGuardHomeFile = z.object({
  dns: z.object({ upstream_dns: list(z.string()), ...Filtering }),
  filtering: z.object(Filtering).nullish(),
  filters: Filters,
  whitelist_filters: Filters,
  user_rules: list(z.string()),
  clients: AdGuardClients,
})

/** Reads `AdGuardHome.yaml`. */
export function readAdGuardHome({ name, content }: GivenFile): FoundDns {
  const value = parseYaml(name, content.toString('utf8'))
  const held = checkContent(name, 'is no AdGuardHome.yaml', { schema: AdGuardHomeFile, value })
  const { dns, filtering, filters, whitelist_filters: allowing, user_rules: rules, clients } = held
  const finds = new DnsFinds('adguard-home')
  for (const filter of filters) finds.takeList(filter)
  for (const { name: title, url } of allowing)
    finds.omit(title === '' ? titleOf(url) : title, 'is a list of allowed names; such lists are not known here')
  for (const rule of rules) takeAdGuardRule(finds, rule)
  for (const rewrite of [...dns.rewrites, ...(filtering?.rewrites ?? [])]) takeRewrite(finds, rewrite)
  for (const upstream of dns.upstream_dns) takeUpstream(finds, upstream.trim())
  takeAdGuardClients(finds, clients, {
    services: filtering?.blocked_services ?? dns.blocked_services,
    safeSearch: safeSearchOf(filtering ?? {}) ?? safeSearchOf(dns),
  })
  return finds
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const at = (error as { linePos?: [{ line: number }] }).linePos?.[0].line
    throw new FileProblem(file, `is not valid YAML${at === undefined ? '' : `, line ${at}`}`)
  }
}

function takeRewrite(finds: DnsFinds, { domain, answer, enabled }: z.output<typeof Rewrites>[number]): void {
  const type = { 0: 'CNAME', 4: 'A', 6: 'AAAA' }[isIP(answer)] ?? 'CNAME'
  if (!enabled) finds.omit(domain, 'is a rewrite that is off')
  else if (answer === 'A' || answer === 'AAAA')
    finds.omit(domain, `keeps ${answer} answers of the upstreams: allow it with a rule`)
  else finds.records.push(`${domain} ${type} ${answer}`)
}

/** A server, or `[/domain/…/]server…` for some domains. */
function takeUpstream(finds: DnsFinds, text: string): void {
  if (text === '' || text.startsWith('#')) return
  const [, domains, rest] = /^\[\/(.*)\/\]\s*(.*)$/.exec(text) ?? []
  if (domains === undefined || rest === undefined) {
    const upstream = upstreamOfAdGuard(finds, text)
    if (upstream !== undefined) finds.upstreams.push(upstream)
    return
  }
  if (rest === '#') return finds.omit(text, 'sends domains to the usual servers')
  const servers = rest.split(/\s+/).flatMap((server) => upstreamOfAdGuard(finds, server) ?? [])
  for (const zone of domains.split('/')) {
    if (zone === '') finds.omit(text, 'is about names of one label')
    else if (servers.length > 0) finds.zones.push({ zone: zone.replace(/^\*\./, ''), servers: servers.slice(0, 4) })
  }
}
