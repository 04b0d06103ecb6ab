import type { GuardedFetch } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { CertificateTables, ScanRow } from './tables.ts'
import type { Publish } from '../events/schema.ts'
import type { SettingsStore } from '../settings/settings.ts'
import { createGrader } from './grader/grader.ts'
import { createGrading } from './grading/grading.ts'
import { GradeSchedule } from './grading/grade-schedule.ts'
import { createGradeHistory, type FallenGrade, type GradeHistory } from './history/history.ts'
import type { HostCertificate } from './inventory/certificate-state.ts'
import { Inventory } from './inventory/inventory.ts'
import type { SiteHosts } from './site-host.ts'
import { createRegistration } from './ssl-labs/registration.ts'
import type { SslLabsFeature } from './ssl-labs/routes.ts'
import { type OptIns, Scans } from './ssl-labs/scans.ts'
import { createSslLabsClient, type SslLabsClient } from './ssl-labs/ssl-labs-client.ts'

/** Dependencies of `createCertificates`. */
export interface CertificatesDependencies {
  readonly db: Kysely<CertificateTables>
  readonly timers: Timers
  readonly log: Log
  readonly hosts: SiteHosts
  readonly optIns: OptIns
  readonly hasSite: (id: number) => Promise<boolean>
  readonly settings: SettingsStore
  readonly publish: Publish
  readonly fetch: GuardedFetch
  readonly sslLabsUrl: string
  /** Called with the certificates of all hosts after each check. */
  readonly onChecked: (all: readonly HostCertificate[]) => void
  readonly onFallen: (grade: FallenGrade) => void
}

/** Everything about certificates. */
export type Certificates = ReturnType<typeof createCertificates>

/** Creates the checks and grades of certificates; nobody is connected to before `start`. */
export function createCertificates(dependencies: CertificatesDependencies) {
  const { db, hosts, timers, log, settings, publish, onChecked, onFallen } = dependencies
  const history = createGradeHistory({
    db,
    clock: timers,
    retentionDays: () => settings.current().grade_retention_days,
    onFallen,
  })
  const grading = createGrading({ hosts, grader: createGrader({ clock: timers }), history, publish })
  const sslLabs = openSslLabs(dependencies, history)
  const { scans, isOn } = sslLabs
  const rhythm = () => settings.current().grade_schedule
  const inventory = new Inventory({
    hosts,
    timers,
    onChange: (now, before) => publishChange(publish, now, before),
    onChecked,
  })
  const schedule = new GradeSchedule({
    hosts,
    inventory,
    grading,
    scans,
    history,
    timers,
    log,
    rhythm,
    isSslLabsOn: isOn,
  })
  return {
    inventory,
    grading,
    history,
    sslLabs,
    async start(): Promise<void> {
      await scans.start()
      schedule.start()
    },
    async close(): Promise<void> {
      await Promise.all([schedule.close(), scans.close()])
    },
  }
}

function openSslLabs(dependencies: CertificatesDependencies, history: GradeHistory): SslLabsFeature {
  const { hosts, optIns, hasSite, settings } = dependencies
  const client = createSslLabsClient({ fetch: dependencies.fetch, baseUrl: dependencies.sslLabsUrl })
  return {
    registration: createRegistration({ ...dependencies, client }),
    scans: openScans(dependencies, client, history),
    optIns,
    hosts,
    isOn: () => settings.current().grade_source === 'ssllabs' && settings.current().ssllabs !== null,
    hasSite,
  }
}

function openScans(
  { db, timers, log, settings, publish }: CertificatesDependencies,
  client: SslLabsClient,
  history: GradeHistory,
): Scans {
  return new Scans({
    db,
    client,
    timers,
    log,
    email: () => (settings.current().grade_source === 'ssllabs' ? settings.current().ssllabs?.email : undefined),
    onState: (scan) => publishScan(publish, scan),
    onGrade: ({ host, siteId, grade, gradeTrustIgnored = null }) =>
      history.record({
        host,
        site_id: siteId,
        source: 'ssllabs',
        grade,
        grade_trust_ignored: gradeTrustIgnored,
        parts: null,
        findings: '[]',
        not_after: null,
        checked_at: timers.now(),
      }),
  })
}

function publishChange(publish: Publish, now: HostCertificate, before: HostCertificate): void {
  const isRenewed =
    now.state === 'valid' &&
    before.certificate !== null &&
    now.certificate?.fingerprint !== before.certificate.fingerprint
  const details = { host: now.host, state: now.state, before: before.state, message: now.message }
  publish({ type: 'certificate', action: isRenewed ? 'renewed' : now.state, id: String(now.siteId), details })
}

function publishScan(publish: Publish, { host, site_id: siteId, state, grade }: ScanRow): void {
  const ends: Readonly<Partial<Record<ScanRow['state'], string>>> = {
    starting: 'scan_started',
    ready: 'scan_completed',
    error: 'scan_failed',
    failed: 'scan_failed',
  }
  const action = ends[state] ?? 'scan_updated'
  publish({ type: 'grade', action, id: String(siteId), details: { host, source: 'ssllabs', state, grade } })
}
