import { hasForwardSecrecy, isAuthenticatedEncryption, type Observation, suiteFault } from './observation.ts'
import type { Grade } from './score.ts'

/** Something worth saying about a site. `cap` is the best grade it leaves; trust has grades of its own. */
export interface Finding {
  /** Stable name, for tests and translations. */
  readonly code: string
  readonly severity: 'good' | 'info' | 'warning' | 'problem'
  readonly text: string
  readonly cap?: Grade
  /** True if it counts only as long as trust is looked at. */
  readonly isAboutTrust?: true
}

/** Half a year, seconds: what a long Strict-Transport-Security is. */
export const longHsts = 15_552_000
const day = 86_400_000

const problem = (code: string, cap: Grade, text: string): Finding => ({ code, severity: 'problem', text, cap })
const warning = (code: string, text: string): Finding => ({ code, severity: 'warning', text, cap: 'A-' })
const info = (code: string, text: string): Finding => ({ code, severity: 'info', text })
const good = (code: string, text: string): Finding => ({ code, severity: 'good', text })
const aboutTrust = (finding: Finding): Finding => ({ ...finding, isAboutTrust: true })

/** All findings about a site, worst first. */
export function findingsOf(seen: Observation, now: number): Finding[] {
  const order = ['problem', 'warning', 'info', 'good']
  const all = [
    ...trustFindings(seen, now),
    ...keyFindings(seen),
    ...protocolFindings(seen),
    ...suiteFindings(seen),
    ...webFindings(seen),
    ...(seen.isComplete ? [] : [info('incomplete', 'Time ran out before every probe was made')]),
  ]
  return all.toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity))
}

function trustFindings({ host, chain, distrust, isNameRight }: Observation, now: number): Finding[] {
  const leaf = chain[0]
  const found: Finding[] = []
  if (!isNameRight) found.push(problem('name_mismatch', 'M', `The certificate does not hold for ${host}`))
  if (leaf !== undefined && leaf.notAfter <= now) found.push(problem('expired', 'T', 'The certificate has expired'))
  else if (leaf !== undefined && leaf.notBefore > now)
    found.push(problem('not_yet', 'T', 'The certificate holds from later on'))
  else if (distrust !== undefined) found.push(problem('untrusted', 'T', distrustText(distrust, leaf?.issuer ?? '')))
  const isSoon =
    leaf !== undefined && leaf.notAfter > now && leaf.notAfter - now < Math.min(7 * day, lifetime(leaf) / 4)
  if (isSoon) found.push(info('expires_soon', 'The certificate expires soon and has not been renewed'))
  return found.map(aboutTrust)
}

const lifetime = ({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number => notAfter - notBefore

function distrustText(code: string, issuer: string): string {
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return 'The certificate signs itself'
  if (code === 'SELF_SIGNED_CERT_IN_CHAIN') return `The root "${issuer}" leads to is not a public one`
  if (code.startsWith('UNABLE_TO_')) return `The issuer "${issuer}" is not known, or its certificate is not sent along`
  if (code === 'CERT_HAS_EXPIRED') return 'A certificate of the chain has expired'
  return `The chain is not trusted (${code})`
}

function keyFindings({ chain }: Observation): Finding[] {
  const leaf = chain[0]
  if (leaf === undefined) return []
  const found: Finding[] = []
  if (leaf.keyType.startsWith('rsa') && leaf.keyBits < 1024)
    found.push(problem('key_broken', 'F', `The key has ${leaf.keyBits} bits and can be broken`))
  else if (leaf.keyType.startsWith('rsa') && leaf.keyBits < 2048)
    found.push(problem('key_small', 'B', `The key has ${leaf.keyBits} bits; 2048 are the least`))
  // A root is trusted because it is in the trust store; its signature does not matter.
  const signed = chain.filter((certificate, index) => index === 0 || !certificate.isSelfSigned)
  if (signed.some(({ signature }) => /md[245]/i.test(signature)))
    found.push(problem('signature_md5', 'F', 'A certificate is signed with MD5'))
  if (signed.some(({ signature }) => /sha1(?!\d)/i.test(signature)))
    found.push(aboutTrust(problem('signature_sha1', 'T', 'A certificate is signed with SHA-1; browsers refuse it')))
  return found
}

function protocolFindings({ versions }: Observation): Finding[] {
  const old = versions.filter((version) => version === 'TLSv1' || version === 'TLSv1.1')
  const found: Finding[] = []
  const oldNames = old.map((version) => (version === 'TLSv1' ? 'TLS 1.0' : 'TLS 1.1')).join(' and ')
  if (old.length > 0) found.push(problem('old_protocol', 'B', `${oldNames} can still be used`))
  const hasCurrent = versions.includes('TLSv1.2') || versions.includes('TLSv1.3')
  if (!hasCurrent) found.push(problem('no_tls12', 'C', 'TLS 1.2 cannot be used'))
  else if (!versions.includes('TLSv1.3')) found.push(warning('no_tls13', 'TLS 1.3 cannot be used'))
  return found
}

function suiteFindings({ suites, groups }: Observation): Finding[] {
  if (suites.length === 0) return []
  const found: Finding[] = []
  const list = (names: readonly string[]) => names.slice(0, 6).join(', ') + (names.length > 6 ? ', …' : '')
  const names = suites.map(({ name }) => name)
  const broken = names.filter((name) => suiteFault(name) === 'broken')
  const outdated = names.filter((name) => suiteFault(name) === 'outdated')
  if (broken.length > 0)
    found.push(problem('suite_broken', 'F', `Suites without protection are offered: ${list(broken)}`))
  if (outdated.length > 0) found.push(problem('suite_outdated', 'C', `Outdated suites are offered: ${list(outdated)}`))
  const dh = Math.min(...suites.map(({ dhBits }) => dhBits ?? Infinity))
  if (dh < 1024) found.push(problem('dh_broken', 'F', `A Diffie-Hellman exchange has ${dh} bits and can be broken`))
  else if (dh < 2048)
    found.push(problem('dh_small', 'B', `A Diffie-Hellman exchange has ${dh} bits; 2048 are the least`))
  const withoutSecrecy = names.filter((name) => !hasForwardSecrecy(name))
  if (withoutSecrecy.length === names.length)
    found.push(problem('no_forward_secrecy', 'B', 'No suite has forward secrecy'))
  else if (withoutSecrecy.length > 0)
    found.push(
      warning('partial_forward_secrecy', `Suites without forward secrecy are offered: ${list(withoutSecrecy)}`),
    )
  const hasAead = names.some(isAuthenticatedEncryption)
  const olderModes = names.filter((name) => !isAuthenticatedEncryption(name))
  if (!hasAead) found.push(problem('no_aead', 'B', 'No suite has authenticated encryption'))
  else if (olderModes.length > 0) found.push(info('cbc', `Suites with CBC are offered: ${list(olderModes)}`))
  if (groups.some((group) => group.includes('MLKEM')))
    found.push(good('post_quantum', 'The key exchange withstands quantum computers (X25519MLKEM768)'))
  return found
}

function webFindings({ hstsSeconds, redirectsToHttps, hasOcspStaple }: Observation): Finding[] {
  const found: Finding[] = []
  if (hstsSeconds === undefined || hstsSeconds === 0)
    found.push(info('no_hsts', 'There is no Strict-Transport-Security; with a long one the grade can be A+'))
  else if (hstsSeconds < longHsts)
    found.push(
      info(
        'short_hsts',
        `Strict-Transport-Security lasts ${Math.floor(hstsSeconds / 86_400)} days; 180 are the least for A+`,
      ),
    )
  else found.push(good('hsts', 'Strict-Transport-Security is on for a long time'))
  if (redirectsToHttps === false) found.push(info('no_redirect', 'Plain HTTP does not lead to HTTPS'))
  if (hasOcspStaple) found.push(good('ocsp_staple', 'An OCSP answer is sent along'))
  return found
}
