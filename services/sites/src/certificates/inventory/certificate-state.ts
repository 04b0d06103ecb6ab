import type { X509Certificate } from 'node:crypto'
import { certificateFacts, type CertificateFacts, namesOf } from '../certificate-facts.ts'
import type { Handshake } from '../grader/handshake.ts'
import type { SiteHost } from '../site-host.ts'

/** State of the certificate of a host. */
export type CertificateState = 'valid' | 'expiring' | 'expired' | 'pending' | 'missing' | 'error'

/** Certificate that a host presents. Its texts are the certificate's own. */
export interface HostCertificate {
  readonly host: string
  readonly siteId: number
  readonly tlsMode: SiteHost['tlsMode']
  readonly state: CertificateState
  /** Problem, for a person; null when there is none. */
  readonly message: string | null
  readonly certificate: ShownCertificate | null
  readonly checkedAt: number
}

/** A certificate as a host presents it. */
interface ShownCertificate extends Pick<CertificateFacts, 'subject' | 'issuer' | 'notBefore' | 'notAfter'> {
  readonly names: readonly string[]
  /** Hexadecimal. */
  readonly serial: string
  /** SHA-256, hexadecimal. */
  readonly fingerprint: string
  readonly isTrusted: boolean
}

const day = 86_400_000
/** For so long after a change a certificate may still be on its way, milliseconds. */
const pendingFor = 30 * 60_000
/** From when on a certificate expires soon, milliseconds; for a short life its last quarter, or it would always be soon. */
const soon = 7 * day

/** Derives the state of a host's certificate from a handshake. */
export function certificateOf(site: SiteHost, handshake: Handshake, now: number): HostCertificate {
  const base = { host: site.host, siteId: site.siteId, tlsMode: site.tlsMode, checkedAt: now, certificate: null }
  if (handshake.kind === 'unreachable')
    return { ...base, state: 'error', message: `The server does not answer: ${handshake.reason}` }
  const isNew = now - site.changedAt < pendingFor
  const absent = (message: string): HostCertificate =>
    isNew
      ? { ...base, state: 'pending', message: 'The server has no certificate for this host yet' }
      : { ...base, state: 'missing', message }
  if (handshake.kind === 'refused') return absent(`The server has no certificate for this host: ${handshake.reason}`)
  const certificate = shown(handshake.certificate, handshake.distrust === undefined)
  if (!handshake.isNameRight)
    return {
      ...absent(`The server shows a certificate for ${certificate.names.slice(0, 3).join(', ') || 'no name'}`),
      certificate,
    }
  return { ...base, ...stateOf(certificate, now), certificate }
}

function stateOf({ notBefore, notAfter }: ShownCertificate, now: number): Pick<HostCertificate, 'state' | 'message'> {
  if (notAfter <= now) return { state: 'expired', message: 'The certificate has expired' }
  if (notBefore > now) return { state: 'error', message: 'The certificate holds from later on; is the clock right?' }
  const isSoon = notAfter - now <= Math.min(soon, (notAfter - notBefore) / 4)
  return isSoon
    ? { state: 'expiring', message: 'The certificate expires soon and has not been renewed' }
    : { state: 'valid', message: null }
}

function shown(certificate: X509Certificate, isTrusted: boolean): ShownCertificate {
  const { subject, issuer, notBefore, notAfter } = certificateFacts(certificate)
  return {
    subject,
    issuer,
    notBefore,
    notAfter,
    names: namesOf(certificate),
    serial: certificate.serialNumber.toLowerCase(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    isTrusted,
  }
}
