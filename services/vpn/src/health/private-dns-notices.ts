import type { HealthNotice } from './schema.ts'

/** Time before its end from which a certificate is warned of: a renewal that works would have come. */
const warningMs = 14 * 86_400_000

/** An address, and what keeps it from listening. */
interface Place {
  readonly address: string
  readonly port: number
  readonly error: string | null
}

/** DNS outside the tunnels, as far as health examines it. */
export interface PrivateDnsFacts {
  readonly enabled: boolean
  readonly host: string | null
  readonly tls: readonly Place[]
  readonly https: readonly Place[]
  readonly http: readonly Place[]
  readonly certificate: {
    readonly valid_to: string
    readonly for_tls: boolean
    readonly for_https: boolean
  } | null
  readonly certificate_problem: string | null
}

/** What is wrong with DNS outside the tunnels. */
export function privateDnsNotices(facts: PrivateDnsFacts, now: number): HealthNotice[] {
  if (!facts.enabled) return []
  return [...certificateNotices(facts, now), ...placeNotices(facts)]
}

const advice =
  'Look at the files that DNS_TLS_CERTIFICATE and DNS_TLS_KEY name. They are read again when they change; nothing has to be restarted.'

function certificateNotices(facts: PrivateDnsFacts, now: number): HealthNotice[] {
  const { certificate, certificate_problem: problem } = facts
  if (certificate === null) {
    return problem === null ? [] : [notice('critical', 'Private DNS has no certificate', `${problem}.`)]
  }
  const end = Date.parse(certificate.valid_to)
  const day = certificate.valid_to.slice(0, 10)
  const wrongName = nameProblem(facts)
  return [
    ...(problem === null
      ? []
      : [
          notice(
            'warning',
            'The new certificate of Private DNS cannot be used',
            `${problem}. The one before stays in use.`,
          ),
        ]),
    ...(end <= now
      ? [
          notice(
            'critical',
            'The certificate of Private DNS has ended',
            `It ended on ${day}. Devices no longer accept it.`,
          ),
        ]
      : end - now < warningMs
        ? [notice('warning', 'The certificate of Private DNS ends soon', `It ends on ${day}.`)]
        : []),
    ...(wrongName === undefined
      ? []
      : [notice('critical', 'The certificate of Private DNS is for other names', wrongName)]),
  ]
}

function nameProblem({ certificate, host, tls, https }: PrivateDnsFacts): string | undefined {
  const missing = [
    ...(tls.length > 0 && certificate?.for_tls === false ? [`*.${host}`] : []),
    ...(https.length > 0 && certificate?.for_https === false ? [host] : []),
  ]
  return missing.length === 0 ? undefined : `It does not hold for ${missing.join(' and ')}; devices do not accept it.`
}

function notice(severity: HealthNotice['severity'], title: string, detail: string): HealthNotice {
  return { code: 'private_dns_certificate', severity, title, detail, advice }
}

function placeNotices({ tls, https, http, certificate }: PrivateDnsFacts): HealthNotice[] {
  const places = certificate === null ? http : [...tls, ...https, ...http]
  const failed = places.filter(({ error }) => error !== null)
  if (failed.length === 0) return []
  return [
    {
      code: 'private_dns_unreachable',
      severity: 'critical',
      title: 'Private DNS cannot listen',
      detail: failed.map(({ address, port, error }) => `${address} port ${port}: ${error}`).join('; '),
      advice: 'Free the port from other programs, or choose another in DNS_TLS_LISTEN or DNS_HTTPS_LISTEN.',
    },
  ]
}
