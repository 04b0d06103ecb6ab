import { cipherBits, type Observation, suiteFault, type TlsVersion } from './observation.ts'
import { type Finding, findingsOf, longHsts } from './findings.ts'

/** Grades, best first; T is not trusted, M is a certificate for another name. */
export const grades = ['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F', 'T', 'M'] as const

/** Grade of a host, from `A+` to `F`, or `T` or `M`. */
export type Grade = (typeof grades)[number]

/** Returns the worse of two grades. */
const worse = (one: Grade, other: Grade): Grade => (grades.indexOf(one) > grades.indexOf(other) ? one : other)

/** Partial scores of a grade, 0 to 100. */
export interface ScoreParts {
  readonly protocol: number
  readonly keyExchange: number
  readonly cipher: number
  /** Weighted: protocol 30 %, key exchange 30 %, cipher 40 %. */
  readonly total: number
}

/** A grade with its reasons. */
export interface Score {
  readonly grade: Grade
  /** Grade if the certificate were trusted, valid now and for the right name. */
  readonly gradeTrustIgnored: Grade
  readonly parts: ScoreParts
  readonly findings: readonly Finding[]
}

/**
 * Grades what was seen with the weights and limits SSL Labs publishes, as far as they apply. It is a local grade: no third
 * party is queried, and theirs may differ.
 *
 * @param now milliseconds since the epoch
 */
export function scoreOf(seen: Observation, now: number): Score {
  const findings = findingsOf(seen, now)
  const parts = partsOf(seen)
  const others = findings.filter((finding) => finding.isAboutTrust !== true)
  const gradeTrustIgnored = gradeOf(parts, others, seen)
  const caps = new Set(findings.map(({ cap }) => cap))
  // A wrong name is reported first: whether a certificate meant for another host is trusted matters little.
  const trust = (['M', 'T'] as const).find((grade) => caps.has(grade))
  return { grade: trust ?? gradeTrustIgnored, gradeTrustIgnored, parts, findings }
}

function gradeOf(parts: ScoreParts, findings: readonly Finding[], seen: Observation): Grade {
  let grade = letterOf(parts)
  for (const { cap } of findings) if (cap !== undefined) grade = worse(grade, cap)
  const isLong = (seen.hstsSeconds ?? 0) >= longHsts
  return grade === 'A' && isLong && seen.isComplete ? 'A+' : grade
}

function letterOf({ protocol, keyExchange, cipher, total }: ScoreParts): Grade {
  if (protocol === 0 || keyExchange === 0 || cipher === 0) return 'F'
  const steps = [
    [80, 'A'],
    [65, 'B'],
    [50, 'C'],
    [35, 'D'],
    [20, 'E'],
  ] as const
  return steps.find(([least]) => total >= least)?.[1] ?? 'F'
}

const protocolPoints: Readonly<Record<TlsVersion, number>> = {
  TLSv1: 90,
  'TLSv1.1': 95,
  'TLSv1.2': 100,
  'TLSv1.3': 100,
}

function partsOf({ versions, suites, chain }: Observation): ScoreParts {
  const protocol = middle(versions.map((version) => protocolPoints[version]))
  const isAnonymous = suites.some(({ name }) => /^A(?:EC)?DH-/.test(name))
  const exchanges = [chain[0] === undefined ? 0 : rsaBits(chain[0]), ...suites.flatMap(({ dhBits }) => dhBits ?? [])]
  const keyExchange = isAnonymous ? 0 : exchangePoints(Math.min(...exchanges))
  const hasNone = suites.some(({ name }) => suiteFault(name) === 'broken' && cipherBits(name) === 0)
  const cipher = hasNone ? 0 : middle(suites.map(({ name }) => cipherPoints(cipherBits(name))))
  const total = Math.round(protocol * 0.3 + keyExchange * 0.3 + cipher * 0.4)
  return { protocol, keyExchange, cipher, total }
}

/** Halfway between the worst and the best. */
const middle = (points: readonly number[]): number =>
  points.length === 0 ? 0 : Math.round((Math.min(...points) + Math.max(...points)) / 2)

/** Curves count as the RSA key that is as hard to break. */
function rsaBits({ keyType, keyBits }: { keyType: string; keyBits: number }): number {
  if (keyType.startsWith('rsa') || keyType === 'dsa') return keyBits
  if (keyBits >= 384) return 7680
  return keyBits >= 256 ? 3072 : 2048
}

function exchangePoints(bits: number): number {
  const steps = [
    [4096, 100],
    [2048, 90],
    [1024, 80],
    [512, 40],
    [1, 20],
  ] as const
  return steps.find(([least]) => bits >= least)?.[1] ?? 0
}

function cipherPoints(bits: number): number {
  if (bits >= 256) return 100
  if (bits >= 128) return 80
  return bits > 0 ? 20 : 0
}
