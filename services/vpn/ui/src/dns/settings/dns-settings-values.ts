import { changedValues } from '@hearth/ui/changed-values'
import type { components } from '../../api.gen.ts'
import type { DnsSettings } from '../../api.ts'

type DnsSettingsUpdate = components['schemas']['DnsSettingsUpdate']

type Stored = Omit<DnsSettings, 'blocking_paused_until' | 'effective_upstreams'>
type Texts = Record<
  'custom_ipv4' | 'custom_ipv6' | 'private_answers_allowed' | 'forwarded_zones' | 'peer_names_suffix' | 'dns64_prefix',
  string
>

/** Values of the form: a number may be empty while someone types, most lists are texts with one entry per line. */
export type DnsSettingsValues = Texts & {
  [Member in Exclude<keyof Stored, keyof Texts>]: Stored[Member] extends number ? number | '' : Stored[Member]
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
    peer_names_suffix: settings.peer_names_suffix ?? '',
    dns64_prefix: settings.dns64_prefix ?? '',
  }
}

/** Only what differs from the stored settings; an emptied number counts as no change. */
export function changedDnsSettings(values: DnsSettingsValues, stored: DnsSettings): DnsSettingsUpdate {
  const wanted = {
    ...values,
    custom_ipv4: values.custom_ipv4.trim() === '' ? null : values.custom_ipv4.trim(),
    custom_ipv6: values.custom_ipv6.trim() === '' ? null : values.custom_ipv6.trim(),
    upstreams: values.upstreams.map((upstream) => upstream.trim()).filter((upstream) => upstream !== ''),
    private_answers_allowed: domainsOf(values.private_answers_allowed),
    forwarded_zones: domainsOf(values.forwarded_zones),
    peer_names_suffix: values.peer_names_suffix.trim() === '' ? null : values.peer_names_suffix.trim(),
    dns64_prefix: values.dns64_prefix.trim() === '' ? null : values.dns64_prefix.trim(),
  }
  return changedValues<Stored>(wanted, stored)
}

const domainsOf = (text: string): string[] => text.split(/[\s,]+/).filter((domain) => domain !== '')
