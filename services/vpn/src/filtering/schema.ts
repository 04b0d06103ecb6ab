import { z } from 'zod'
import { idText, plainText, Timestamp, wholeNumber } from '../envelope.ts'
import { HealthNotice } from '../health/schema.ts'
import { ExplainedProfile } from './profiles/schema.ts'
import { DnsType, Modifiers, QueryReason } from '../query-log/schema.ts'

const BlockMode = z.enum(['zero_ip', 'nxdomain', 'refused', 'custom_ip']).meta({
  description:
    'How a blocked name is answered: 0.0.0.0 and ::, no such name, refused, or the addresses of `custom_ipv4/6`',
})

const upstream = plainText(400)
  .min(3)
  .meta({
    description:
      'A server to ask: `udp://IP[:53]`, `tcp://IP[:53]`, `tls://IP[:853]#name`, `https://host/path[#IP]`, `IP`, or `IP@PORT#name`',
    examples: ['tls://9.9.9.9#dns.quad9.net', 'https://dns.quad9.net/dns-query#9.9.9.9', 'udp://192.168.1.1'],
  })

const seconds = (max: number) => z.int().min(0).max(max)

const members = {
  blocking_enabled: z.boolean(),
  block_mode: BlockMode,
  custom_ipv4: z.ipv4().nullable(),
  custom_ipv6: z.ipv6().nullable(),
  block_ttl: seconds(86_400).meta({ description: 'Seconds a device may remember that a name is blocked' }),
  upstreams: z.array(upstream).min(1).max(8),
  dnssec: z.boolean().meta({ description: 'Ask upstreams for validated answers and pass on that they are' }),
  cache_size: z.int().min(0).max(200_000).meta({ description: 'Answers kept' }),
  cache_min_ttl: seconds(3600),
  cache_max_ttl: seconds(604_800),
  serve_stale: z.boolean().meta({ description: 'Answer from outdated entries when no upstream answers (RFC 8767)' }),
  prefetch: z.boolean().meta({ description: 'Renew an answer that is used in the last tenth of its time' }),
  keep_cache: z.boolean().meta({
    description:
      'Keep the cache in a file over a restart: names that devices looked up, without the devices; off deletes the file',
  }),
  block_private_answers: z.boolean().meta({
    description:
      'Block answers that lead public names into private networks (DNS rebinding); not for local names, allow rules and known services such as plex.direct',
  }),
  private_answers_allowed: z
    .array(plainText(253).min(1))
    .max(256)
    .meta({ description: 'Domains, and what is below them, whose answers may be private' }),
  forwarded_zones: z.array(plainText(253).min(1)).max(256).meta({
    description:
      'Domains of the local network that the upstreams know, such as home.arpa or 168.192.in-addr.arpa: their names are sent to the upstreams, and their answers may be private',
  }),
  dns64_prefix: z.cidrv6().nullable().meta({
    description:
      'Network with /96, such as 64:ff9b::/96, in which names without IPv6 addresses get some for their IPv4 addresses (DNS64, RFC 6147), for devices behind a translator (NAT64); null for none',
  }),
  peer_names_suffix: plainText(253).min(1).nullable().meta({
    description:
      'Domain in which every peer has a name, such as phone.vpn, and its addresses lead back to it; null for none',
  }),
  client_rate_limit: z.int().min(0).max(1_000_000).meta({ description: 'Queries a second and peer; 0 for no limit' }),
  query_log: z.enum(['all', 'blocked', 'none']),
  anonymize_clients: z.boolean().meta({ description: 'Log queries without their clients' }),
  log_retention_days: z.int().min(0).max(365),
  blocklists_update_interval_hours: z.int().min(0).max(720).meta({ description: '0: by hand only' }),
}

/** Settings that can be stored; `blocking_paused_until` and the effective upstreams are added when they are shown. */
export const DnsSettingValues = z.object(members)
export type DnsSettingValues = z.infer<typeof DnsSettingValues>

export const DnsSettings = z
  .object({
    ...members,
    blocking_paused_until: Timestamp.nullable(),
    effective_upstreams: z.array(z.string()).meta({ description: 'Those in use: DNS_UPSTREAMS wins over the setting' }),
  })
  .meta({ id: 'DnsSettings' })
export type DnsSettings = z.infer<typeof DnsSettings>

export const DnsSettingsUpdate = z
  .strictObject({
    ...members,
    blocking_paused_until: z.iso
      .datetime({ offset: true })
      .nullable()
      .meta({ description: 'Nothing is blocked until then; null ends a pause' }),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'DnsSettingsUpdate' })
export type DnsSettingsUpdate = z.infer<typeof DnsSettingsUpdate>

export const DnsPause = z
  .strictObject({ seconds: z.int().min(1).max(604_800).meta({ description: 'How long nothing is blocked' }) })
  .meta({ id: 'DnsPause' })

export const DnsBlocking = z
  .object({ enabled: z.boolean(), paused_until: Timestamp.nullable() })
  .meta({ id: 'DnsBlocking' })
export type DnsBlocking = z.infer<typeof DnsBlocking>

/** Status of the resolver. */
export const DnsStatus = z
  .object({
    running: z.boolean(),
    unavailable: z.string().nullable().meta({ description: 'Why it does not answer' }),
    engine: z.enum(['ffi', 'dgram']).nullable(),
    engine_reason: z.string(),
    started_at: Timestamp.nullable(),
    restarts: wholeNumber,
    listeners: z.array(z.object({ address: z.string(), port: wholeNumber, error: z.string().nullable() })),
    upstreams: z.array(
      z.object({
        upstream: z.string(),
        queries: wholeNumber.meta({
          description:
            'Queries sent to it. A question that gets no answer is sent again, up to five times, and counts again',
        }),
        failures: wholeNumber.meta({
          description: 'How many of `queries` got no answer in time, or a refusal; never more than `queries`',
        }),
        average_ms: z.number().min(0).nullable(),
        healthy: z.boolean(),
        last_error: z.string().nullable(),
      }),
    ),
    blocking: DnsBlocking,
    blocked_names: wholeNumber.meta({ description: 'Different names on all enabled lists' }),
    cache_entries: wholeNumber,
    log_entries_lost: wholeNumber,
    health: z.array(HealthNotice).meta({ description: 'What is wrong with the whole service, the worst first' }),
  })
  .meta({ id: 'DnsStatus' })
export type DnsStatus = z.infer<typeof DnsStatus>

export const UpstreamTest = z.strictObject({ upstream }).meta({ id: 'UpstreamTest' })

export const UpstreamTestResult = z
  .object({ ok: z.boolean(), milliseconds: z.number().min(0).nullable(), error: z.string().nullable() })
  .meta({ id: 'UpstreamTestResult' })
export type UpstreamTestResult = z.infer<typeof UpstreamTestResult>

export const ExplainQuery = z.strictObject({
  domain: plainText(255).min(1),
  client: plainText(64)
    .optional()
    .meta({ description: 'A peer: name, id or address; without it, nobody in particular' }),
  resolve: z
    .enum(['true', 'false'])
    .default('true')
    .meta({ description: 'Also look the name up and check what it leads to, as an answer would be' }),
  type: DnsType.default(1).meta({ description: 'DNS type of the question; A unless given', default: 'A' }),
})
export type ExplainQuery = z.infer<typeof ExplainQuery>

export const PeerNameParams = z.object({ id: idText })

/** The name by which a peer is found in DNS. */
export const PeerDnsName = z
  .object({
    id: z.string(),
    name: z
      .string()
      .nullable()
      .meta({ description: 'Such as phone.vpn; null when names are off or its name makes none' }),
  })
  .meta({ id: 'PeerDnsName' })

/** Something that matches a name. */
export const DnsMatch = z
  .object({
    kind: z.enum(['rule', 'list', 'record']),
    action: z.enum(['block', 'allow']),
    scope: z.enum(['client', 'profile', 'global']).nullable(),
    name: z.string().meta({ description: 'The name it matches: the queried one, or one it leads to' }),
    text: z.string().meta({ description: 'The rule, the list’s entry in Adblock’s words, or the local name' }),
    important: z.boolean(),
    modifiers: Modifiers,
    id: z.string().nullable().meta({ description: 'Of the rule or the list' }),
    source: z.string().meta({ description: 'The list’s name, whose rule it is, or `Local record`' }),
    deciding: z.boolean(),
  })
  .meta({ id: 'DnsMatch' })

export const DnsExplanation = z
  .object({
    domain: z.string(),
    client: z.string().nullable(),
    status: z.enum(['allowed', 'blocked']),
    reason: QueryReason,
    decided_by: z.string().meta({ description: 'In words, for a person' }),
    name: z.string().meta({ description: 'The name that decided' }),
    cnames: z.array(z.string()),
    zone: z
      .string()
      .nullable()
      .meta({ description: 'The zone whose own servers are asked; null for the servers for all names' }),
    server: z.string().nullable().meta({ description: 'The server that answered; null when none was asked' }),
    profile: ExplainedProfile.nullable().meta({ description: 'The profile of the client; null for none' }),
    matches: z.array(DnsMatch).meta({ description: 'Everything that matches, in the order of precedence' }),
    flip: z.string().nullable().meta({ description: 'The one change that would turn the decision round' }),
  })
  .meta({ id: 'DnsExplanation' })
export type DnsExplanation = z.infer<typeof DnsExplanation>

/** Settings of a new installation. */
export const defaultDnsSettings: DnsSettingValues = {
  blocking_enabled: true,
  block_mode: 'zero_ip',
  custom_ipv4: null,
  custom_ipv6: null,
  block_ttl: 10,
  upstreams: ['tls://9.9.9.9#dns.quad9.net', 'tls://1.1.1.1#cloudflare-dns.com'],
  dnssec: false,
  cache_size: 16_384,
  cache_min_ttl: 0,
  cache_max_ttl: 86_400,
  serve_stale: true,
  prefetch: false,
  keep_cache: true,
  block_private_answers: true,
  private_answers_allowed: [],
  forwarded_zones: [],
  dns64_prefix: null,
  peer_names_suffix: 'vpn',
  client_rate_limit: 20_000,
  query_log: 'all',
  anonymize_clients: false,
  log_retention_days: 7,
  blocklists_update_interval_hours: 24,
}
