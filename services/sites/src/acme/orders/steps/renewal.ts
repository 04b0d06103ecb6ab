import { X509Certificate } from 'node:crypto'
import { namesOf } from '../../../certificates/certificate-facts.ts'
import type { AcmeClient } from '../../client/acme-client.ts'
import { renewalId } from '../../client/renewal-id.ts'
import { type Outcome, twoThirds } from '../order-machine.ts'
import type { StepContext } from './perform-step.ts'

/** Time that a new certificate is left alone, milliseconds. */
const minRest = 3_600_000

/** Asks the authority when the certificate should be renewed; a certificate that is to be revoked is due at once. */
export async function checkRenewal({ client, current, renewAt, now }: StepContext): Promise<Outcome> {
  const due = (text: string): Outcome => ({ kind: 'next', progress: { step: 'account' }, text })
  if (current === undefined) return due('The certificate is ordered')
  const advised = await advisedRenewal(client, current, renewAt)
  const at = Math.min(advised?.at ?? renewAt ?? now, latestRenewal(current))
  if (at > now) return { kind: 'rest', renewAt: at }
  const why = advised?.isEarly === true ? 'The authority asks for the renewal now' : 'The renewal is due'
  return due(advised?.explanation === undefined ? why : `${why}: ${advised.explanation}`)
}

/** When a tenth of the life is left: neither an authority nor a clock that was wrong may let a certificate expire. */
function latestRenewal(chain: string): number {
  const { validFromDate, validToDate } = new X509Certificate(chain)
  const notAfter = validToDate.getTime()
  return Math.round(notAfter - (notAfter - validFromDate.getTime()) / 10)
}

async function advisedRenewal(client: AcmeClient, current: string, known: number | null) {
  const certificate = new X509Certificate(current)
  const id = renewalId(certificate)
  // Without an answer the time that is known holds.
  const window = id === undefined ? undefined : await client.renewalWindow(id).catch(() => undefined)
  if (window === undefined) return undefined
  const { start, end, explanation } = window
  const isKnown = known !== null && known >= start && known <= end
  const at = isKnown ? known : Math.round(start + Math.random() * (end - start))
  const usual = twoThirds(certificate.validFromDate.getTime(), certificate.validToDate.getTime())
  return { at, explanation, isEarly: end < usual }
}

/** The outcome of a step that has stored a new certificate, PEM with its chain. */
export async function issued(client: AcmeClient, chain: string, now: number): Promise<Outcome> {
  const certificate = new X509Certificate(chain)
  const [notBefore, notAfter] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  const advised = await advisedRenewal(client, chain, null)
  // An authority that wants even a new certificate renewed must not get one order after the other.
  const earliest = now + Math.min(minRest, twoThirds(0, notAfter - notBefore))
  const renewAt = Math.max(earliest, Math.min(advised?.at ?? twoThirds(notBefore, notAfter), latestRenewal(chain)))
  const until = certificate.validToDate.toISOString().slice(0, 10)
  return {
    kind: 'issued',
    renewAt,
    notAfter,
    text: `Issued for ${namesOf(certificate).join(', ')}, valid until ${until}`,
  }
}
