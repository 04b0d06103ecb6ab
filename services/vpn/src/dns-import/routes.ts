import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope } from '../envelope.ts'
import { maxBytes } from '../foreign-files/schema.ts'
import type { Publish } from '../service-event.ts'
import { describeCounts, importDns, type DnsImportDependencies } from './dns-import.ts'
import { DnsImport, DnsImportReport } from './schema.ts'

const changed = ['blocklists', 'dns_rules', 'dns_records', 'dns_zones', 'dns_profiles', 'dns_settings'] as const

/** Settings of other DNS filters. */
export function dnsImportRoutes(dependencies: DnsImportDependencies, publish: Publish): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/dns/import',
        tag: 'DNS',
        limit: 'counted',
        summary: 'Take over the settings of AdGuard Home or Pi-hole',
        description:
          'Lists, rules, local names, zones, upstreams, and clients with settings of their own, or in groups, as profiles for the devices with their addresses. What is here already stays, what does not fit is left out with the reason, and doing it again adds only what is missing.',
        access: 'admin',
        body: DnsImport,
        // Base64 takes four bytes for three, and each file has a name.
        maxBodyBytes: maxBytes * 1.5,
        success: { status: 200, body: messageEnvelope(DnsImportReport) },
        errors: [409],
      },
      async ({ body, caller }) => {
        const report = await importDns(dependencies, body, caller.username)
        if (body.dry_run) return done(report, 'The files can be read; nothing was changed')
        for (const collection of changed) publish({ type: 'changed', collection, id: null })
        return done(report, describeCounts(report))
      },
    ),
  ]
}
