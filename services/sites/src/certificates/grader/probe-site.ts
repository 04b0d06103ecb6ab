import type { X509Certificate } from 'node:crypto'
import { getCiphers } from 'node:tls'
import { certificateFacts, type CertificateFacts } from '../certificate-facts.ts'
import { atMost, shakeHands, type Handshake, type HandshakeTarget } from './handshake.ts'
import { tlsVersions, type CipherSuite, type Observation, type TlsVersion } from './observation.ts'
import { probeWeb } from './probe-web.ts'

/** Handshakes at the same time: quick enough, and no flood for a server that has others to serve. */
const concurrency = 6
/** Longer chains are cut. */
const maxChain = 8

/** Suites of the older versions that need nothing but a certificate, and those of TLS 1.3. */
const allSuites = getCiphers().filter((name) => !/psk|srp/.test(name))
const newSuites = allSuites.filter((name) => name.startsWith('tls_')).map((name) => name.toUpperCase())
const oldSuites = allSuites.filter((name) => !name.startsWith('tls_')).map((name) => name.toUpperCase())

const groupNames = ['X25519MLKEM768', 'X25519', 'prime256v1', 'secp384r1', 'secp521r1']
const weakest = '@SECLEVEL=0'

/** Observation of a site, or the reason why there is none. */
export type ProbeOutcome =
  | { readonly kind: 'observed'; readonly observation: Observation }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Probes a site as a scanner does: a handshake for every version, suite and group, and a request by HTTPS and HTTP. What
 * the runtime's own OpenSSL does not speak (SSL 3, RC4, anonymous suites) cannot be found. Never rejects.
 */
export async function probeSite(target: HandshakeTarget, httpPort: number): Promise<ProbeOutcome> {
  const handshakes = await atMost(concurrency, tlsVersions, (version) =>
    shakeHands(target, { minVersion: version, maxVersion: version, ciphers: `ALL:${weakest}` }),
  )
  const versions = tlsVersions.filter((_, index) => handshakes[index]?.kind === 'done')
  const newest = handshakes.findLast((handshake) => handshake.kind === 'done')
  if (newest === undefined) return { kind: 'failed', reason: failureOf(handshakes) }
  const suites = await probeSuites(target, versions)
  const groups = await probeGroups(target, versions)
  const web = await probeWeb(target, httpPort)
  const observation: Observation = {
    host: target.host,
    versions,
    suites,
    groups,
    chain: chainOf(newest.certificate),
    isNameRight: newest.isNameRight,
    distrust: newest.distrust,
    hasOcspStaple: newest.hasOcspStaple,
    ...web,
    isComplete: target.signal?.aborted !== true,
  }
  return { kind: 'observed', observation }
}

/** A refused handshake is more specific than a timeout. */
function failureOf(handshakes: readonly Handshake[]): string {
  const refused = handshakes.findLast((handshake) => handshake.kind === 'refused')
  if (refused?.kind === 'refused') return `the server refused the handshake: ${refused.reason}`
  const silent = handshakes.find((handshake) => handshake.kind === 'unreachable')
  return `the server could not be reached: ${silent?.kind === 'unreachable' ? silent.reason : 'no answer'}`
}

async function probeSuites(target: HandshakeTarget, versions: readonly TlsVersion[]): Promise<CipherSuite[]> {
  const hasNew = versions.includes('TLSv1.3')
  const highest = versions.findLast((version) => version !== 'TLSv1.3')
  const old = highest === undefined ? [] : oldSuites
  const candidates = [...(hasNew ? newSuites : []), ...old]
  const found = await atMost(concurrency, candidates, async (name) => {
    const isNew = name.startsWith('TLS_')
    const limits = isNew
      ? ({ minVersion: 'TLSv1.3', ciphers: name } as const)
      : ({ minVersion: 'TLSv1', maxVersion: highest ?? 'TLSv1.2', ciphers: `${name}:${weakest}` } as const)
    const handshake = await shakeHands(target, limits)
    if (handshake.kind !== 'done') return []
    return [{ name: handshake.cipher, version: isNew ? '1.3' : 'older', dhBits: handshake.dhBits } as const]
  })
  return found.flat()
}

/** Before TLS 1.3 the groups say which certificates will do, too, so the curves of certificates are always offered beside. */
async function probeGroups(target: HandshakeTarget, versions: readonly TlsVersion[]): Promise<string[]> {
  const isNew = versions.includes('TLSv1.3')
  const limits = isNew
    ? ({ minVersion: 'TLSv1.3', ciphers: `DEFAULT:${weakest}` } as const)
    : ({ minVersion: 'TLSv1', maxVersion: 'TLSv1.2', ciphers: `ECDHE:${weakest}` } as const)
  const found = await atMost(concurrency, groupNames, async (name) => {
    const ecdhCurve = isNew ? name : [...new Set([name, 'prime256v1', 'secp384r1'])].join(':')
    const handshake = await shakeHands(target, { ...limits, ecdhCurve })
    return handshake.kind === 'done' && handshake.group === name ? [name] : []
  })
  return found.flat()
}

/** Returns the chain that the server sent; a root is seldom part of it. */
function chainOf(leaf: X509Certificate): CertificateFacts[] {
  const chain: CertificateFacts[] = []
  let certificate: X509Certificate | undefined = leaf
  while (certificate !== undefined && chain.length < maxChain) {
    const facts = certificateFacts(certificate)
    chain.push(facts)
    certificate = facts.isSelfSigned ? undefined : certificate.issuerCertificate
  }
  return chain
}
