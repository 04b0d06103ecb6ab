import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

/** A key and the certificates that speak for it, PEM. */
export interface TestCertificate {
  /** The certificate itself, then its issuers without the root. */
  readonly chain: string
  readonly certificate: string
  readonly key: string
  readonly privateKey: KeyObject
}

/** Options of a certificate; the default is a good one for ninety days. */
export interface CertificateWish {
  readonly names: readonly string[]
  readonly notBefore?: number
  readonly notAfter?: number
  /** Size of an RSA key; an elliptic one when missing. */
  readonly rsaBits?: number
  readonly hash?: 'sha256' | 'sha1' | 'md5'
  readonly isAuthority?: boolean
  /** Use this key again, as a renewal may. */
  readonly privateKey?: KeyObject
}

/** A certificate authority of a test's own. */
export interface TestAuthority {
  /** The root's certificate, PEM. */
  readonly root: string
  issue(wish: CertificateWish): TestCertificate
  /** An authority under this one. */
  intermediate(name: string): TestAuthority
}

const day = 86_400_000

/** Makes certificates of every kind, also those no real authority would. */
export function createTestAuthority(name = 'Test Root'): TestAuthority {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = distinguishedName(name)
  const wish = { names: [], notAfter: Date.now() + 3650 * day, isAuthority: true, privateKey }
  const root = encodeCertificate(wish, { privateKey, subject, issuerKey: privateKey, issuer: subject })
  return authorityOf({ root, chain: '', issuer: subject, issuerKey: privateKey })
}

function authorityOf(own: { root: string; chain: string; issuer: Buffer; issuerKey: KeyObject }): TestAuthority {
  const make = (wish: CertificateWish, subject: Buffer): TestCertificate => {
    const privateKey = wish.privateKey ?? makeKey(wish.rsaBits)
    const certificate = encodeCertificate(wish, { privateKey, subject, ...own })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    return { certificate, chain: certificate + own.chain, key, privateKey }
  }
  return {
    root: own.root,
    issue: (wish) => make(wish, distinguishedName(wish.names[0] ?? 'nameless')),
    intermediate(name) {
      const subject = distinguishedName(name)
      const made = make({ names: [], isAuthority: true }, subject)
      return authorityOf({ root: own.root, chain: made.chain, issuer: subject, issuerKey: made.privateKey })
    },
  }
}

const makeKey = (rsaBits: number | undefined): KeyObject =>
  rsaBits === undefined
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: rsaBits }).privateKey

interface Parties {
  readonly privateKey: KeyObject
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly issuerKey: KeyObject
}

function encodeCertificate(wish: CertificateWish, { privateKey, subject, issuer, issuerKey }: Parties): string {
  const { hash = 'sha256', notBefore = Date.now() - day, notAfter = Date.now() + 89 * day } = wish
  const algorithm = signatureAlgorithm(issuerKey, hash)
  const spki = publicKeyOf(privateKey)
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    spki,
    tagged(3, sequence(...extensions(wish, { spki, issuerKey }))),
  )
  const signature = sign(hash, body, issuerKey)
  return pem(sequence(body, algorithm, bits(signature)))
}

function extensions(wish: CertificateWish, { spki, issuerKey }: { spki: Buffer; issuerKey: KeyObject }): Buffer[] {
  const authority = sequence(...(wish.isAuthority === true ? [der(1, Buffer.from([0xff]))] : []))
  const all = [
    sequence(objectId('2.5.29.19'), der(1, Buffer.from([0xff])), octets(authority)),
    sequence(objectId('2.5.29.14'), octets(octets(keyId(spki)))),
    sequence(objectId('2.5.29.35'), octets(sequence(der(0x80, keyId(publicKeyOf(issuerKey)))))),
  ]
  if (wish.names.length > 0) all.push(sequence(objectId('2.5.29.17'), octets(sequence(...wish.names.map(generalName)))))
  return all
}

const publicKeyOf = (key: KeyObject): Buffer => {
  const jwk = key.export({ format: 'jwk' })
  // A private key's own public half, by way of its parameters.
  return key.asymmetricKeyType === 'rsa'
    ? sequence(
        sequence(objectId('1.2.840.113549.1.1.1'), der(5, Buffer.alloc(0))),
        bits(sequence(integer(Buffer.from(jwk.n ?? '', 'base64url')), integer(Buffer.from(jwk.e ?? '', 'base64url')))),
      )
    : sequence(
        sequence(objectId('1.2.840.10045.2.1'), objectId('1.2.840.10045.3.1.7')),
        bits(
          Buffer.concat([
            Buffer.from([4]),
            Buffer.from(jwk.x ?? '', 'base64url'),
            Buffer.from(jwk.y ?? '', 'base64url'),
          ]),
        ),
      )
}

const keyId = (spki: Buffer): Buffer => createHash('sha1').update(spki).digest()

function signatureAlgorithm(key: KeyObject, hash: string): Buffer {
  const rsa: Record<string, string> = { md5: '4', sha1: '5', sha256: '11' }
  const ec: Record<string, string> = { sha1: '1', sha256: '3.2' }
  if (key.asymmetricKeyType === 'rsa')
    return sequence(objectId(`1.2.840.113549.1.1.${rsa[hash]}`), der(5, Buffer.alloc(0)))
  return sequence(objectId(`1.2.840.10045.4.${ec[hash]}`))
}

const generalName = (name: string): Buffer =>
  isIP(name) === 4 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name, 'ascii'))

const distinguishedName = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))))

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))
const tagged = (number: number, content: Buffer): Buffer => der(0xa0 + number, content)
const octets = (content: Buffer): Buffer => der(4, content)
const bits = (content: Buffer): Buffer => der(3, Buffer.concat([Buffer.from([0]), content]))
const integer = (bytes: Buffer): Buffer =>
  der(2, (bytes[0] ?? 0) >= 128 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)

const time = (moment: number): Buffer =>
  der(0x18, Buffer.from(new Date(moment).toISOString().replaceAll(/[-:T]|\.\d+/g, '')))

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest.flatMap(base128)]
  return der(6, Buffer.from(bytes))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
