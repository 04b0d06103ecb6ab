import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { namesOf } from '../certificate-facts.ts'

/** An upload that cannot be used; `field` is the member of the body it came in. */
export class UploadRejected extends Error {
  override readonly name = 'UploadRejected'
  readonly field: 'certificate' | 'private_key'

  constructor(field: 'certificate' | 'private_key', message: string) {
    super(message)
    this.field = field
  }
}

/** A chain that was checked, in order, the certificate itself first. Nothing but certificates is in `pem`. */
export interface CheckedChain {
  readonly pem: string
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]]
}

/** Largest text of a chain and of a key, bytes, and most certificates in one. */
export const maxPem = 65_536
const maxCertificates = 10

/**
 * Checks a certificate with its key: that they belong together, that the chain is whole and in order (it is put in order),
 * that it names somebody and has not expired. The key comes back as PKCS #8. Throws `UploadRejected`.
 */
export function readCertificate(
  { certificate, privateKey }: { certificate: string; privateKey: string },
  now: number,
): CheckedChain & { readonly key: string } {
  const key = readKey(privateKey)
  const all = readCertificates(certificate)
  const own = all.find((candidate) => candidate.checkPrivateKey(key))
  if (own === undefined) throw new UploadRejected('private_key', 'does not belong to the certificate')
  checkLeaf(own, now)
  const chain = ordered(own, all)
  return { ...chain, key: key.export({ type: 'pkcs8', format: 'pem' }) }
}

/** Checks certificates of an authority, whose clients are let in. Throws `UploadRejected`. */
export function readAuthority(text: string, now: number): CheckedChain {
  const [first, ...rest] = readCertificates(text)
  for (const certificate of [first, ...rest]) {
    if (!certificate.ca)
      throw new UploadRejected('certificate', `${place(certificate)} is no certificate of an authority`)
    checkTime(certificate, now)
  }
  return { pem: [first, ...rest].map(String).join(''), certificates: [first, ...rest] }
}

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) throw new UploadRejected('private_key', 'is encrypted; remove its passphrase first')
  const block = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/.exec(text)
  if (block === null) throw new UploadRejected('private_key', 'holds no private key in PEM form')
  let key: KeyObject
  try {
    key = createPrivateKey(block[0])
  } catch {
    // Its reason could quote the key.
    throw new UploadRejected('private_key', 'cannot be read')
  }
  const type = key.asymmetricKeyType
  if (type !== 'rsa' && type !== 'ec')
    throw new UploadRejected('private_key', `is of the kind ${type}; browsers accept RSA and elliptic curve keys`)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 2048
  if (bits < 2048 || bits > 8192) throw new UploadRejected('private_key', `has ${bits} bits; 2048 to 8192 will do`)
  const curve = key.asymmetricKeyDetails?.namedCurve ?? 'prime256v1'
  if (!['prime256v1', 'secp384r1', 'secp521r1'].includes(curve))
    throw new UploadRejected('private_key', `uses the curve ${curve}; P-256, P-384 and P-521 will do`)
  return key
}

function readCertificates(text: string): readonly [X509Certificate, ...X509Certificate[]] {
  if (/PRIVATE KEY/.test(text))
    throw new UploadRejected('certificate', 'holds a private key; it has a field of its own')
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length > maxCertificates)
    throw new UploadRejected('certificate', `holds more than ${maxCertificates} certificates`)
  const [first, ...rest] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block)
    } catch {
      throw new UploadRejected('certificate', `holds a certificate that cannot be read, number ${index + 1}`)
    }
  })
  if (first === undefined) throw new UploadRejected('certificate', 'holds no certificate in PEM form')
  return [first, ...rest]
}

function checkLeaf(certificate: X509Certificate, now: number): void {
  if (certificate.ca) throw new UploadRejected('certificate', 'is that of an authority, not of a server')
  if (namesOf(certificate).length === 0) throw new UploadRejected('certificate', 'names no host (subjectAltName)')
  checkTime(certificate, now)
}

function checkTime(certificate: X509Certificate, now: number): void {
  const until = certificate.validToDate
  if (until.getTime() <= now)
    throw new UploadRejected('certificate', `${place(certificate)} has expired, on ${until.toISOString().slice(0, 10)}`)
}

const place = ({ subject }: X509Certificate): string => `the one of "${subject.replaceAll('\n', ', ').slice(0, 200)}"`

/** From the certificate up to as far as the issuers were sent along. */
function ordered(own: X509Certificate, all: readonly X509Certificate[]): CheckedChain {
  const chain: [X509Certificate, ...X509Certificate[]] = [own]
  let left = all.filter((certificate) => certificate.fingerprint256 !== own.fingerprint256)
  for (let last = own; left.length > 0;) {
    const issuer = left.find((candidate) => last.checkIssued(candidate) && last.verify(candidate.publicKey))
    if (issuer === undefined)
      throw new UploadRejected('certificate', `holds a certificate that is no issuer of it: ${place(left[0] ?? own)}`)
    chain.push(issuer)
    left = left.filter((certificate) => certificate !== issuer)
    last = issuer
  }
  return { pem: chain.map(String).join(''), certificates: chain }
}

/** The certificates of a text that was checked before. */
export const chainOf = (pem: string): X509Certificate[] =>
  pem
    .split(/(?=-----BEGIN CERTIFICATE-----)/)
    .filter((block) => block.trim() !== '')
    .map((block) => new X509Certificate(block))
