import type { components } from '../../api.gen.ts'
import type { DnsSettings } from '../../api.ts'

type DnsSettingsUpdate = components['schemas']['DnsSettingsUpdate']

/** What the form holds: numbers may be empty while somebody types, lists are texts with a line each. */
export interface DnsSettingsValues extends Record<string, unknown> {
  blocking_enabled: boolean
  block_mode: DnsSettings['block_mode']
  custom_ipv4: string
  custom_ipv6: string
  block_ttl: number | ''
  upstreams: string[]
  dnssec: boolean
  cache_size: number | ''
  cache_min_ttl: number | ''
  cache_max_ttl: number | ''
  serve_stale: boolean
  block_private_answers: boolean
  private_answers_allowed: string
  forwarded_zones: string
  client_rate_limit: number | ''
  query_log: DnsSettings['query_log']
  anonymize_clients: boolean
  log_retention_days: number | ''
  blocklists_update_interval_hours: number | ''
}

/** The form for the settings as they are. */
export function dnsSettingsValues(settings: DnsSettings): DnsSettingsValues {
  const { blocking_paused_until: _paused, effective_upstreams: _effective, ...values } = settings
  return {
    ...values,
    custom_ipv4: settings.custom_ipv4 ?? '',
    custom_ipv6: settings.custom_ipv6 ?? '',
    upstreams: [...settings.upstreams],
    private_answers_allowed: settings.private_answers_allowed.join('\n'),
    forwarded_zones: settings.forwarded_zones.join('\n'),
  }
}

/** Only what differs from the stored settings; an emptied number counts as no change. */
export function changedDnsSettings(values: DnsSettingsValues, stored: DnsSettings): DnsSettingsUpdate {
  const before: Record<string, unknown> = { ...stored }
  const wanted = {
    ...values,
    custom_ipv4: values.custom_ipv4.trim() === '' ? null : values.custom_ipv4.trim(),
    custom_ipv6: values.custom_ipv6.trim() === '' ? null : values.custom_ipv6.trim(),
    upstreams: values.upstreams.map((upstream) => upstream.trim()).filter((upstream) => upstream !== ''),
    private_answers_allowed: domainsOf(values.private_answers_allowed),
    forwarded_zones: domainsOf(values.forwarded_zones),
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== '' && !isSame(value, before[name])),
  )
}

const domainsOf = (text: string): string[] => text.split(/[\s,]+/).filter((domain) => domain !== '')

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
