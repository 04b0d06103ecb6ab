import 'reflect-metadata'
import { createPrivateKey, KeyObject, randomBytes } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { controlName } from './link-schema.ts'

/** A certificate and its private key, PEM. */
export interface CertifiedKey {
  readonly certificate: string
  readonly key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/**
 * Certificates have no end (RFC 5280, section 4.1.2.5) and begin early: nodes without a clock of their own start in the past, and
 * who may connect is decided by the list of nodes, not by a date.
 */
const validity = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('9999-12-31T23:59:59Z') }

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const pemOf = (key: CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' })

/** 16 bytes, the first below 128: a serial number is positive. */
const serialNumber = (): string => {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

/** Creates the certificate authority of an installation. */
export async function createAuthorityCertificate(): Promise<CertifiedKey> {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: [{ CN: ['Hearth VPN nodes'] }],
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return { certificate: certificate.toString('pem'), key: pemOf(keys.privateKey) }
}

/** Creates the certificate of the service for nodes; it is good for a server only. */
export async function createServerCertificate(authority: CertifiedKey): Promise<CertifiedKey> {
  const keys = await newKeys()
  const usage = ExtendedKeyUsage.serverAuth
  const certificate = await sign(authority, { name: controlName, publicKey: keys.publicKey, usage })
  return { certificate, key: pemOf(keys.privateKey) }
}

/** Creates the key of a node, with a request for its certificate. */
export async function createCertificateRequest(): Promise<{ readonly request: string; readonly key: string }> {
  const keys = await newKeys()
  const name = [{ CN: ['Hearth VPN node'] }]
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm })
  return { request: request.toString('pem'), key: pemOf(keys.privateKey) }
}

/**
 * Signs the certificate of a node; it is good for a client only. The name in the request does not matter. Returns undefined
 * unless the request is one for a P-256 key that its sender has.
 */
export async function signNodeCertificate(
  authority: CertifiedKey,
  { request, id }: { request: string; id: string },
): Promise<string | undefined> {
  const publicKey = await requestedKey(request).catch(() => undefined)
  return publicKey && sign(authority, { name: id, publicKey, usage: ExtendedKeyUsage.clientAuth })
}

async function requestedKey(request: string): Promise<CryptoKey | undefined> {
  const parsed = new Pkcs10CertificateRequest(request)
  const key = await parsed.publicKey.export(algorithm, ['verify'])
  return (await parsed.verify()) ? key : undefined
}

async function sign(
  { certificate, key }: CertifiedKey,
  { name, publicKey, usage }: { name: string; publicKey: CryptoKey; usage: ExtendedKeyUsage },
): Promise<string> {
  const signed = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: serialNumber(),
    subject: [{ CN: [name] }],
    issuer: new X509Certificate(certificate).subjectName,
    signingAlgorithm: algorithm,
    signingKey: createPrivateKey(key).toCryptoKey(algorithm, false, ['sign']),
    publicKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([usage], true),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
    ],
  })
  return signed.toString('pem')
}
