import type { WantedSite } from './site-change.ts'
import type { SiteRow } from './tables.ts'

/** A site as it is stored. */
export function siteRow(
  { record, extras }: WantedSite,
  facts: Pick<SiteRow, 'id' | 'revision' | 'created_at' | 'updated_at'>,
): SiteRow {
  return {
    ...facts,
    name: record.site_name,
    name_key: record.site_name.toLowerCase(),
    kind: record.kind,
    enabled: Number(record.enabled),
    domains: record.domains.join(' '),
    record: JSON.stringify(record),
    extras: JSON.stringify(extras),
  }
}
