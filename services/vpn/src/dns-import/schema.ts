import { z } from 'zod'
import { wholeNumber } from '../envelope.ts'
import { ForeignFiles, LeftOutEntry } from '../foreign-files/schema.ts'

/** Parts of a DNS filter that can come along. */
export const DnsImportPart = z.enum(['lists', 'rules', 'records', 'zones', 'upstreams', 'clients'])
export type DnsImportPart = z.infer<typeof DnsImportPart>

/** Files of another DNS filter whose settings are to hold here. */
export const DnsImport = z
  .strictObject({
    files: ForeignFiles.meta({
      description:
        'Of AdGuard Home: `AdGuardHome.yaml`; of Pi-hole 6: the archive of the teleporter, or `pihole.toml` and `gravity.db`',
    }),
    parts: z
      .array(DnsImportPart)
      .min(1)
      .default([...DnsImportPart.options])
      .meta({ description: 'What comes along; upstreams replace those that are set' }),
    dry_run: z.boolean().default(false).meta({ description: 'Read only; nothing is changed' }),
  })
  .meta({ id: 'DnsImport' })
export type DnsImport = z.infer<typeof DnsImport>

const Counts = z
  .object({ found: wholeNumber, created: wholeNumber, existing: wholeNumber })
  .meta({ description: 'How many the files hold, were created, and were here already' })

/** What became, or would become, of the settings of another DNS filter. */
export const DnsImportReport = z
  .object({
    source: z.enum(['adguard-home', 'pi-hole']),
    lists: Counts,
    rules: Counts,
    records: Counts,
    zones: Counts,
    clients: Counts.meta({
      description:
        'Clients with settings of their own, or in groups, as profiles; `existing`: there is a profile of that name',
    }),
    upstreams: z.array(z.string()).meta({ description: 'Upstream servers in the form of this service' }),
    left_out: z.array(LeftOutEntry).meta({ description: 'What does not come along' }),
  })
  .meta({ id: 'DnsImportReport' })
export type DnsImportReport = z.infer<typeof DnsImportReport>
