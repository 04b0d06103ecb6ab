import type { z } from 'zod'
import { DnsSettingValues } from '../../filtering/schema.ts'
import { faultsOf } from '../faults.ts'
import type { Section } from '../section.ts'

const DnsSettingsOfFile = DnsSettingValues.partial().strict()

/** Settings of the resolver; a pause is none. */
export const dnsSettingsSection: Section<z.infer<typeof DnsSettingsOfFile>> = {
  name: 'dns_settings',
  noun: 'DNS settings',
  form: 'members',
  schema: DnsSettingsOfFile,
  defaults: {},
  identify: () => ({ key: '', name: 'dns_settings' }),
  read({ parts }) {
    const { pausedUntil: _, ...value } = parts.dns.settings.current()
    return Promise.resolve([{ id: '', key: '', name: 'dns_settings', value }])
  },
  apply: ({ parts }, { change }) =>
    faultsOf(
      change,
      ({ wanted }) => wanted.path,
      ({ members }) => parts.dns.settings.update(members),
    ),
}
