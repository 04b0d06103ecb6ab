import { z } from 'zod'
import { grades } from './grader/score.ts'

const timestamp = z.iso.datetime()
const siteId = z.int()
const hostText = z.string().meta({ description: 'Name, wildcard or address' })
const certificateText = 'Text of the certificate; nothing in it is to be trusted'
const source = z.enum(['local', 'ssllabs'])
const localGrade = z.enum(grades)
const grade = z.enum([...grades, 'mixed'])

const label = z.string().meta({
  description: 'What the grade is: `local grade, SSL Labs-like` is ours, `SSL Labs` is theirs',
})

/** Summary of the last grade of a host. */
const ShortGrade = z
  .object({ source, label, grade, grade_trust_ignored: localGrade.nullable(), checked_at: timestamp })
  .meta({ id: 'ShortGrade' })

/** Certificate that a host presents. */
export const HostCertificate = z
  .object({
    host: hostText,
    site_id: siteId,
    tls_mode: z.enum(['auto', 'internal', 'custom', 'on_demand', 'off']),
    state: z.enum(['valid', 'expiring', 'expired', 'pending', 'missing', 'error']),
    message: z.string().nullable(),
    subject: z.string().nullable().meta({ description: certificateText }),
    issuer: z.string().nullable().meta({ description: certificateText }),
    names: z.array(z.string()),
    not_before: timestamp.nullable(),
    not_after: timestamp.nullable(),
    serial: z.string().nullable(),
    fingerprint_sha256: z.string().nullable(),
    trusted: z.boolean().nullable().meta({ description: 'Whether this machine trusts the chain' }),
    checked_at: timestamp,
    grades: z.array(ShortGrade).meta({ description: 'The newest by each source' }),
  })
  .meta({ id: 'HostCertificate' })
export type HostCertificate = z.infer<typeof HostCertificate>

export const CertificateCounts = z
  .object({
    valid: z.int(),
    expired: z.int(),
    expiring_soon: z.int().meta({ description: 'Within seven days, or the last quarter of a short life' }),
  })
  .meta({ id: 'CertificateCounts' })

export const CertificateList = z
  .object({ certificates: z.array(HostCertificate), counts: CertificateCounts })
  .meta({ id: 'CertificateList' })
export type CertificateList = z.infer<typeof CertificateList>

export const RefreshRequest = z
  .strictObject({ site_ids: z.array(z.int().positive()).max(1000).optional() })
  .meta({ id: 'CertificateRefresh' })

export const HostParams = z.object({ host: z.string().min(1).max(255) })

const points = z.int().min(0).max(100)

/** A grade with its reasons. */
export const CertificateGrade = z
  .object({
    host: hostText,
    site_id: siteId,
    label,
    grade: localGrade.meta({ description: 'T: not trusted; M: for another name' }),
    grade_trust_ignored: localGrade,
    parts: z.object({ protocol: points, key_exchange: points, cipher: points, total: points }),
    findings: z.array(
      z.object({
        code: z.string(),
        severity: z.enum(['good', 'info', 'warning', 'problem']),
        text: z.string(),
        cap: localGrade.optional().meta({ description: 'The best grade it leaves' }),
      }),
    ),
    protocols: z.array(z.string()),
    cipher_suites: z.array(z.string()),
    groups: z.array(z.string()),
    not_after: timestamp,
    checked_at: timestamp,
  })
  .meta({ id: 'CertificateGrade' })
export type CertificateGrade = z.infer<typeof CertificateGrade>

export const HistoryQuery = z.object({
  range_key: z.string().max(20).optional().meta({ description: '30d, 90d, 180d or 1y; anything else is 90d' }),
  source: source.optional().meta({ description: 'Only grades of this source' }),
})

/** Grades by week. */
export const GradeHistory = z
  .object({
    range_key: z.enum(['30d', '90d', '180d', '1y']),
    days: z.int(),
    grade_scale: z.record(grade, z.int()),
    series: z.array(
      z.object({
        host: hostText,
        source,
        points: z.array(
          z.object({ date: z.iso.date().meta({ description: 'Monday of the week, UTC' }), grade, rank: z.int() }),
        ),
      }),
    ),
  })
  .meta({ id: 'GradeHistory' })
export type GradeHistory = z.infer<typeof GradeHistory>

const pem = z.string().max(65_536, 'must be at most 65536 characters')
const uploadName = z.string().trim().min(1).max(100)

/** A certificate to upload: with its key, or of an authority without one. */
export const CertificateUpload = z
  .strictObject({
    name: uploadName,
    kind: z.enum(['certificate', 'authority']).default('certificate'),
    certificate: pem.meta({ description: 'PEM; the chain in any order' }),
    private_key: pem
      .default('')
      .meta({ description: 'PEM, without passphrase; not for an authority', writeOnly: true }),
  })
  .meta({ id: 'CertificateUpload' })
export type CertificateUpload = z.infer<typeof CertificateUpload>

/** A renewed certificate that replaces an uploaded one. */
export const CertificateReplacement = z
  .strictObject({ certificate: pem, private_key: pem.default('').meta({ writeOnly: true }) })
  .meta({ id: 'CertificateReplacement' })
export type CertificateReplacement = z.infer<typeof CertificateReplacement>

/** An uploaded certificate; its key is never shown. */
export const UploadedCertificate = z
  .object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(['certificate', 'authority']),
    subject: z.string(),
    issuer: z.string(),
    names: z.array(z.string()),
    not_before: timestamp,
    not_after: timestamp,
    fingerprint_sha256: z.string(),
    key: z.string().meta({ description: 'Kind and size, as `rsa 2048`' }),
    chain_length: z.int(),
    order_id: z
      .string()
      .nullable()
      .meta({ description: 'The order that keeps it new; null for one that was uploaded' }),
    used_by: z.array(siteId),
    created_at: timestamp,
    changed_at: timestamp,
  })
  .meta({ id: 'UploadedCertificate' })
export type UploadedCertificate = z.infer<typeof UploadedCertificate>

/** Every uploaded certificate, without keys. */
export const UploadedCertificateList = z
  .object({ certificates: z.array(UploadedCertificate) })
  .meta({ id: 'UploadedCertificateList' })

/** Path parameters of a route of one uploaded certificate. */
export const UploadParams = z.object({ id: z.coerce.number().int().positive().max(2_147_483_647) })

/** Response to the deletion of an uploaded certificate or authority. */
export const Deleted = z.object({ status: z.literal('deleted') }).meta({ id: 'CertificateDeleted' })
