import type { ListRow } from '../tables.ts'
import type { DataPlaneChoice } from '../wireguard/choose-driver.ts'
import type { HealthNotice } from './schema.ts'

/** State of the parts of the service at one time. */
export interface HealthFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly uptimeSeconds: number
  readonly dns: ResolverFacts
  readonly lists: readonly ListFacts[]
  /** Hours between two updates of the lists; 0 for by hand. */
  readonly updateHours: number
  readonly dataPlane: DataPlaneChoice
  /** Enabled interfaces that do not run, with why. */
  readonly failedInterfaces: readonly { readonly name: string; readonly reason: string }[]
  readonly drifts: readonly DriftFacts[]
  /** Notices that other parts of the service found. */
  readonly more?: readonly HealthNotice[]
}

/** The resolver, as far as health examines it. */
export interface ResolverFacts {
  readonly running: boolean
  readonly restarts: number
  /** Reason why no device reaches it; null when devices do. */
  readonly unavailable: string | null
  readonly listeners: readonly unknown[]
  readonly upstreams: readonly {
    readonly upstream: string
    readonly queries: number
    readonly failures: number
    readonly average_ms: number | null
    readonly healthy: boolean
    readonly last_error: string | null
  }[]
  readonly blocking: { readonly enabled: boolean }
  /** Different names on all enabled lists. */
  readonly blocked_names: number
}

/** A block list, as far as health examines it. */
type ListFacts = Pick<ListRow, 'name' | 'enabled' | 'entries' | 'last_checked' | 'last_error'>

/** A change of the machine that the service did not make. */
export interface DriftFacts {
  readonly at: number
  readonly message: string
}

const hour = 3_600_000

/** A resolver that starts with the service has this long, seconds. */
const startSeconds = 15

/** Time for which a repaired drift is shown, milliseconds. */
export const driftShownMs = hour

/** Maximum number of names in one notice. */
const maxNamed = 5

/** Returns a notice for everything that is wrong, the worst first. */
export function healthNotices(facts: HealthFacts): HealthNotice[] {
  return [
    ...resolverNotices(facts),
    ...upstreamNotices(facts.dns),
    ...interfaceNotices(facts),
    ...listNotices(facts),
    ...planeNotices(facts),
    ...(facts.more ?? []),
  ].toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
}

function resolverNotices({ dns, uptimeSeconds }: HealthFacts): HealthNotice[] {
  if (!dns.running && (dns.restarts > 0 || uptimeSeconds > startSeconds))
    return [
      {
        code: 'resolver_down',
        severity: 'critical',
        title: 'The resolver does not run',
        detail: `Devices get no answers for names. It was started again ${dns.restarts} times.`,
        advice: 'It is started again by itself. When this stays, look into the log of the service.',
      },
    ]
  if (dns.running && dns.listeners.length > 0 && dns.unavailable !== null)
    return [
      {
        code: 'resolver_unreachable',
        severity: 'critical',
        title: 'No device can reach the resolver',
        detail: `It listens at none of its addresses: ${dns.unavailable}.`,
        advice: 'Free the addresses from other programs, or give the service the right to use port 53.',
      },
    ]
  return []
}

/** Returns true if an upstream was queried and fails now, or never answered. */
const isFailing = ({ queries, failures, healthy, average_ms: average }: ResolverFacts['upstreams'][number]): boolean =>
  queries > 0 && (!healthy || (failures > 0 && average === null))

function upstreamNotices({ upstreams }: HealthFacts['dns']): HealthNotice[] {
  const queried = upstreams.filter(({ queries }) => queries > 0)
  const failing = queried.filter(isFailing)
  if (failing.length === 0) return []
  const detail = named(
    failing.map(({ upstream, failures, queries, last_error: error }) => {
      const reason = error === null ? '' : `, ${error}`
      return `${upstream} (${failures} of ${queries} queries failed${reason})`
    }),
  )
  const advice =
    'Check that this host reaches them, and that no firewall stops their ports; or choose other upstreams under DNS → Settings.'
  if (failing.length < queried.length)
    return [{ code: 'upstream_failing', severity: 'warning', title: 'An upstream does not answer', detail, advice }]
  return [{ code: 'upstreams_failing', severity: 'critical', title: 'No upstream answers', detail, advice }]
}

function interfaceNotices({ failedInterfaces }: HealthFacts): HealthNotice[] {
  if (failedInterfaces.length === 0) return []
  return [
    {
      code: 'interface_failed',
      severity: 'critical',
      title: failedInterfaces.length === 1 ? 'An interface does not run' : 'Interfaces do not run',
      detail: named(failedInterfaces.map(({ name, reason }) => `${name}: ${reason}`)),
      advice: 'Mend the cause and start the interface again under Interfaces.',
    },
  ]
}

function listNotices(facts: HealthFacts): HealthNotice[] {
  const { dns, lists, updateHours, now } = facts
  const enabled = lists.filter((list) => list.enabled === 1)
  const overdue = updateHours * 2 * hour + hour
  const stale = enabled.filter(
    ({ last_error: error, last_checked: checked }) =>
      error !== null || (updateHours > 0 && checked !== null && Math.abs(now - checked) > overdue),
  )
  const isEmpty = dns.blocked_names === 0 && enabled.every(({ entries }) => entries === 0)
  return [
    ...(dns.blocking.enabled && isEmpty ? [emptyNotice(enabled)] : []),
    ...(stale.length === 0
      ? []
      : [
          {
            code: 'lists_not_updated',
            severity: 'warning',
            title: 'Block lists are not updated',
            detail: named(stale.map((list) => `${list.name}: ${list.last_error ?? 'the last update is long ago'}`)),
            advice: 'Their old text stays in force. Look at the lists under DNS → Lists and update them.',
          } as const,
        ]),
  ]
}

function emptyNotice(enabled: readonly ListFacts[]): HealthNotice {
  const isFetched = enabled.some(({ last_checked: checked }) => checked !== null)
  return {
    code: 'no_names',
    severity: 'warning',
    title: 'No block list has names',
    detail:
      enabled.length === 0
        ? 'No block list is enabled, so only rules block names.'
        : isFetched
          ? 'The enabled lists hold no names, so only rules block names.'
          : 'The enabled lists were never fetched, so only rules block names.',
    advice:
      enabled.length === 0
        ? 'Enable a list under DNS → Lists, or switch the filter off.'
        : 'Update the lists under DNS → Lists.',
  }
}

function planeNotices({ dataPlane, drifts, now }: HealthFacts): HealthNotice[] {
  const recent = drifts.filter(({ at }) => now - at < driftShownMs)
  return [
    ...(dataPlane.backend === 'simulated'
      ? [
          {
            code: 'simulated',
            severity: 'warning',
            title: 'Tunnels are simulated: no packets flow',
            detail: `${dataPlane.reason}.`,
            advice: dataPlane.advice ?? 'Set WIREGUARD_BACKEND to auto for real tunnels.',
          } as const,
        ]
      : []),
    ...(recent.length === 0
      ? []
      : [
          {
            code: 'drift',
            severity: 'warning',
            title: 'Another program changes the tunnels',
            detail: `${named(recent.map(({ message }) => message))}.`,
            advice: 'Look for another WireGuard or firewall tool on this host that manages the same interfaces.',
          } as const,
        ]),
  ]
}

/** A few in words, and how many there are beside. */
function named(texts: readonly string[]): string {
  const rest = texts.length - maxNamed
  return [...texts.slice(0, maxNamed), ...(rest > 0 ? [`${rest} more`] : [])].join('; ')
}
