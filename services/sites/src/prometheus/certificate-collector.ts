import { countByLabels, defineCollector, keepFor, type Collector } from '@hearth/metrics'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Certificates } from '../certificates/certificates.ts'
import type { CertificateState, HostCertificate } from '../certificates/inventory/certificate-state.ts'
import { allDomainOwners } from '../sites/domain-store.ts'
import type { SiteTables } from '../sites/tables.ts'

interface CertificateFigureDependencies {
  readonly db: Kysely<SiteTables>
  readonly timers: Timers
  readonly log: Log
  readonly inventory: Certificates['inventory']
  readonly history: Pick<Certificates['history'], 'latest'>
}

const states: readonly CertificateState[] = ['valid', 'expiring', 'expired', 'pending', 'missing', 'error']

/** Time for which grades and the names of sites are kept, milliseconds. */
const keptFor = 60_000

/** Sites that are shown one by one: those whose certificates end first. */
const maxSites = 100

/** The figures of certificates, as of the last check of all hosts; a scrape begins one when the last is ten minutes old. */
export function certificateCollector(dependencies: CertificateFigureDependencies): Collector {
  const { inventory, history, db, timers } = dependencies
  const refresh = createRefresh(dependencies)
  const readGrades = keepFor(keptFor, timers, () => history.latest())
  const readNames = keepFor(keptFor, timers, async () => {
    const owners = await allDomainOwners(db)
    return new Map(owners.map(({ id, site_name: name }) => [id, name]))
  })
  return defineCollector({
    name: 'certificates',
    figures: {
      hearth_sites_certificates: { type: 'gauge', help: 'Hosts by the state of the certificate that they show' },
      hearth_sites_certificate_earliest_expiry_timestamp_seconds: {
        type: 'gauge',
        help: 'Time at which the first certificate of all ends',
      },
      hearth_sites_certificate_expiry_timestamp_seconds: {
        type: 'gauge',
        help: `Time at which the first certificate of a site ends, for the ${maxSites} sites whose certificates end first`,
      },
      hearth_sites_certificate_grades: { type: 'gauge', help: 'Hosts by their newest grade and its source' },
    },
    async read() {
      refresh()
      const hosts = inventory.known()
      if (hosts.length === 0) return {}
      const byState = Map.groupBy(hosts, ({ state }) => state)
      const grades = await readGrades()
      const ends = firstEnds(hosts)
      const names = await readNames()
      return {
        hearth_sites_certificates: states.map((state) => [{ state }, byState.get(state)?.length ?? 0] as const),
        hearth_sites_certificate_earliest_expiry_timestamp_seconds: ends[0]?.[1],
        hearth_sites_certificate_expiry_timestamp_seconds: ends.slice(0, maxSites).flatMap(([id, end]) => {
          // The name of a site that is new follows within a minute.
          const site = names.get(id)
          return site === undefined ? [] : [[{ site }, end] as const]
        }),
        hearth_sites_certificate_grades: countByLabels(grades, ({ source, grade }) => ({ source, grade })),
      }
    },
  })
}

/** The first end of a certificate of each site by its id, seconds since the epoch, earliest first. */
function firstEnds(hosts: readonly HostCertificate[]): (readonly [number, number])[] {
  const ends = new Map<number, number>()
  for (const { siteId, certificate } of hosts)
    if (certificate !== null)
      ends.set(siteId, Math.min(ends.get(siteId) ?? Number.POSITIVE_INFINITY, certificate.notAfter / 1000))
  return [...ends].sort(([, a], [, b]) => a - b)
}

/** Begins a check of the hosts when the last one is too old; a scrape does not wait for it. */
function createRefresh({ inventory, timers, log }: CertificateFigureDependencies): () => void {
  const everyMs = 600_000
  let begunAt = Number.NEGATIVE_INFINITY
  return () => {
    if (inventory.known().length > 0 && timers.monotonic() - begunAt < everyMs) return
    begunAt = timers.monotonic()
    inventory.list().catch((error: unknown) => log.warn({ err: error }, 'certificates could not be checked'))
  }
}
