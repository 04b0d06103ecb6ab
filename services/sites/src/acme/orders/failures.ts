import { AcmeError } from '../client/acme-error.ts'
import { LookupFailed } from '../dns/lookups.ts'
import { ProviderFailed, type ProviderFailure } from '../providers/provider.ts'
import type { Failure, FailureCode, Outcome } from './order-machine.ts'

const ofProvider: Readonly<Record<ProviderFailure, FailureCode>> = {
  'wrong-zone': 'wrong-zone',
  'wrong-credentials': 'wrong-credentials',
  'rate-limited': 'provider-away',
  away: 'provider-away',
  refused: 'provider-refused',
}

/** The failure behind an error of a step; undefined for an error that nobody expects. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof AcmeError) return ofAuthority(error)
  if (error instanceof LookupFailed) return { code: 'dns-away', text: error.message }
  if (!(error instanceof ProviderFailed)) return undefined
  return { code: ofProvider[error.failure], text: error.message, retryAfterMs: error.retryAfterMs }
}

function ofAuthority({ failure, type, message, retryAfterMs }: AcmeError): Failure {
  if (type === 'outbound') return { code: 'not-reachable', text: message }
  const isBinding = type === 'externalAccountRequired' || type === 'externalAccountRefused'
  if (isBinding) return { code: 'external-account', text: `The authority refused: ${message}` }
  const text = failure === 'away' ? message : `The authority refused: ${message}`
  if (failure === 'rate-limited') return { code: 'rate-limited', text, retryAfterMs }
  if (failure === 'away') return { code: 'authority-away', text, retryAfterMs }
  return { code: 'authority-refused', text, retryAfterMs }
}

/** The outcome of a step whose order is of no use any more. */
export const expired = (text: string): Outcome => ({ kind: 'failed', failure: { code: 'order-expired', text } })

/** What to do about a failure. */
export const advice: Readonly<Record<FailureCode, string>> = {
  'authority-away':
    'Nothing needs to be done: the authority is asked again. If this lasts, check its status page and this machine’s connection.',
  'authority-refused':
    'Check the names, and the authority in the settings. The order starts again later; to start now, choose Try now.',
  'rate-limited':
    'The authority allows no more for now. Do not delete and order again: that counts too. It is asked again when it says so.',
  'external-account':
    'Enter the key identifier and the HMAC key that the authority shows in your account there: Settings, External accounts. The step is tried again then.',
  'not-reachable': 'The address is not public. Add it to OUTBOUND_ALLOW if the service may connect to it.',
  'provider-away':
    'Nothing needs to be done: the DNS provider is asked again. If this lasts, check that it is up and reachable from here.',
  'provider-refused': 'Read what the DNS provider said, and check its settings.',
  'wrong-credentials':
    'Check the key or token of the DNS provider: it may be wrong, expired, or not allowed to change this zone.',
  'wrong-zone':
    'Choose the DNS provider that holds the zone of this name, or let _acme-challenge lead to a zone that it holds (CNAME).',
  'dns-away':
    'Check the resolvers of this machine, or set others with DNS_RESOLVERS, and that the domain is registered and its name servers answer.',
  'dns-slow':
    'The record did not reach every name server of the zone. Check that the secondary servers follow the primary, then choose Try now.',
  'validation-failed':
    'The authority saw something else than was written. Check that the zone’s public name servers are the ones that were changed, and CAA records.',
  'order-expired': 'A new order is placed later; to place it now, choose Try now.',
  internal: 'The log of the service says more. The step is tried again.',
}
