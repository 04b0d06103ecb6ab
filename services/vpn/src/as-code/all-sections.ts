import type { AnySection } from './section.ts'
import { accessDefaultsSection } from './sections/access-defaults.ts'
import { accessGroupsSection } from './sections/access-groups.ts'
import { accessRulesSection } from './sections/access-rules.ts'
import { dnsListsSection } from './sections/dns-lists.ts'
import { dnsProfilesSection } from './sections/dns-profiles.ts'
import { dnsRecordsSection } from './sections/dns-records.ts'
import { dnsRulesSection } from './sections/dns-rules.ts'
import { dnsSettingsSection } from './sections/dns-settings.ts'
import { dnsZonesSection } from './sections/dns-zones.ts'
import { interfacesSection } from './sections/interfaces.ts'
import { peersSection } from './sections/peers.ts'
import { settingsSection } from './sections/settings.ts'

/** All kinds of wanted state, in the order of the file and of an apply: what others name stands before them. */
export const allSections: readonly AnySection[] = [
  settingsSection,
  interfacesSection,
  dnsListsSection,
  peersSection,
  accessGroupsSection,
  accessRulesSection,
  accessDefaultsSection,
  dnsSettingsSection,
  dnsProfilesSection,
  dnsRulesSection,
  dnsRecordsSection,
  dnsZonesSection,
]
