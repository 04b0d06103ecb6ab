import type { Tone } from '@hearth/ui'
import type { components } from '../api.gen.ts'

type Schemas = components['schemas']
type State = Schemas['HostCertificate']['state']

const states: Readonly<Record<State, { tone: Tone; text: string }>> = {
  valid: { tone: 'good', text: 'Valid' },
  expiring: { tone: 'warn', text: 'Expires soon' },
  expired: { tone: 'bad', text: 'Expired' },
  pending: { tone: 'accent', text: 'On its way' },
  missing: { tone: 'bad', text: 'Missing' },
  error: { tone: 'bad', text: 'Not reachable' },
}

/** The state of a host's certificate as a badge shows it. */
export const certificateState = (state: State) => states[state]

/** States by how much somebody has to look after them. */
const urgency: readonly State[] = ['expired', 'missing', 'error', 'expiring', 'pending', 'valid']

/** Certificates with those first that need somebody, then those that expire first. */
export function byUrgency<T extends Pick<Schemas['HostCertificate'], 'state' | 'not_after' | 'host'>>(
  certificates: readonly T[],
): T[] {
  const rank = ({ state }: T) => urgency.indexOf(state)
  const end = (certificate: T) => certificate.not_after ?? ''
  return [...certificates].sort(
    (one, other) => rank(one) - rank(other) || end(one).localeCompare(end(other)) || one.host.localeCompare(other.host),
  )
}

/** The colour of a grade; its letter says it all without. */
export function gradeTone(grade: string): Tone {
  if (grade.startsWith('A')) return 'good'
  if (grade === 'B') return 'accent'
  return ['C', 'D', 'E', 'mixed'].includes(grade) ? 'warn' : 'bad'
}

/** Meanings of the grades that do not measure quality. */
const meanings: Readonly<Record<string, string>> = {
  T: 'The certificate is not trusted',
  M: 'The certificate is for another name',
  mixed: 'The addresses of the host have different grades',
}

/** A grade in words: `A (T: the certificate is not trusted)` when trust alone spoils it. */
export function gradeText(grade: string, ignoringTrust: string | null): string {
  const meaning = meanings[grade]
  if (meaning === undefined) return `Grade ${grade}`
  return ignoringTrust === null ? meaning : `${meaning}; without that the grade would be ${ignoringTrust}`
}

/** The name in a subject or an issuer: its common name, else its organisation, else all of it. */
export function nameIn(text: string): string {
  return /CN\s*=\s*([^,\n]+)/.exec(text)?.[1]?.trim() ?? /O\s*=\s*([^,\n]+)/.exec(text)?.[1]?.trim() ?? text
}

/** A certificate of one's own in a list to choose from: `house (a.example.org, b.example.org), revoked`. */
export function uploadLabel(
  { name, names }: Pick<Schemas['UploadedCertificate'], 'name' | 'names'>,
  isRevoked: boolean,
) {
  const hosts = names.length === 0 ? '' : ` (${names.slice(0, 2).join(', ')}${names.length > 2 ? ', …' : ''})`
  return `${name}${hosts}${isRevoked ? ', revoked' : ''}`
}
