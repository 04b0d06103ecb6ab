import type { X509Certificate } from 'node:crypto'

/** A certificate in plain values; moments are milliseconds. */
export interface CertificateFacts {
  readonly subject: string
  readonly issuer: string
  readonly keyType: string
  /** RSA modulus, or the size of the curve. */
  readonly keyBits: number
  /** As `sha256WithRSAEncryption`. */
  readonly signature: string
  readonly notBefore: number
  readonly notAfter: number
  readonly isSelfSigned: boolean
}

/** Sizes of the curves certificates use, bits. */
const curveBits: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 }

/** Extracts facts of a certificate as plain values. Texts are the certificate's own and not to be trusted. */
export function certificateFacts(certificate: X509Certificate): CertificateFacts {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails: details } = certificate.publicKey
  return {
    subject: shortName(certificate.subject),
    issuer: shortName(certificate.issuer),
    keyType: asymmetricKeyType,
    keyBits: details?.modulusLength ?? curveBits[details?.namedCurve ?? ''] ?? 256,
    signature: certificate.signatureAlgorithm ?? 'unknown',
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isSelfSigned: certificate.subject === certificate.issuer && certificate.checkIssued(certificate),
  }
}

/** The names and addresses a certificate holds for. */
export function namesOf(certificate: X509Certificate): string[] {
  const names = (certificate.subjectAltName ?? '').split(', ').flatMap((entry) => {
    const match = /^(?:DNS|IP Address):(.{1,255})$/.exec(entry)
    return match?.[1] === undefined ? [] : [match[1].toLowerCase()]
  })
  return names.slice(0, 200)
}

/** Common name, organisation, or the first attribute of a distinguished name. */
function shortName(name: string | undefined): string {
  const parts = (name ?? '').split('\n')
  const found = ['CN=', 'O='].map((key) => parts.find((part) => part.startsWith(key))?.slice(key.length))
  return (found.find((value) => value !== undefined) ?? parts[0] ?? '').slice(0, 200)
}
