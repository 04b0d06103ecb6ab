import { toIsoString } from '@hearth/runtime'
import { localGradeLabel, type LocalGrade } from './grader/grader.ts'
import type { HostCertificate } from './inventory/certificate-state.ts'
import type * as wire from './schema.ts'
import type { GradeRow } from './tables.ts'

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

const labels: Readonly<Record<GradeRow['source'], string>> = { local: localGradeLabel, ssllabs: 'SSL Labs' }

/** The wire form of a host's certificate, with the newest grades of the host. */
export function hostCertificateView(found: HostCertificate, grades: readonly GradeRow[]): wire.HostCertificate {
  const { certificate } = found
  return {
    host: found.host,
    site_id: found.siteId,
    tls_mode: found.tlsMode,
    state: found.state,
    message: found.message,
    subject: certificate?.subject ?? null,
    issuer: certificate?.issuer ?? null,
    names: [...(certificate?.names ?? [])],
    not_before: toIsoString(certificate?.notBefore ?? null),
    not_after: toIsoString(certificate?.notAfter ?? null),
    serial: certificate?.serial ?? null,
    fingerprint_sha256: certificate?.fingerprint ?? null,
    trusted: certificate?.isTrusted ?? null,
    checked_at: isoTime(found.checkedAt),
    grades: grades.map(({ source, grade, grade_trust_ignored, checked_at }) => ({
      source,
      label: labels[source],
      grade,
      grade_trust_ignored,
      checked_at: isoTime(checked_at),
    })),
  }
}

/** The wire form of a local grade. */
export function gradeView(grade: LocalGrade, siteId: number): wire.CertificateGrade {
  const { parts, observation } = grade
  return {
    host: grade.host,
    site_id: siteId,
    label: localGradeLabel,
    grade: grade.grade,
    grade_trust_ignored: grade.gradeTrustIgnored,
    parts: { protocol: parts.protocol, key_exchange: parts.keyExchange, cipher: parts.cipher, total: parts.total },
    findings: grade.findings.map(({ code, severity, text, cap }) => ({ code, severity, text, ...(cap && { cap }) })),
    protocols: [...observation.versions],
    cipher_suites: observation.suites.map(({ name }) => name),
    groups: [...observation.groups],
    not_after: isoTime(grade.notAfter),
    checked_at: isoTime(grade.checkedAt),
  }
}
