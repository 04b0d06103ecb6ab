import type { Clock } from '@hearth/runtime'
import type { ConnectionRecorder } from '../connections/recorder.ts'
import type { Filtering } from '../filtering/filtering.ts'
import type { NameRequests } from '../name-requests/name-requests.ts'
import type { NameRequestRow } from '../name-requests/tables.ts'
import type { Peers } from '../peers/peers.ts'
import type { Peer } from '../peers/schema.ts'
import type { QueryLog } from '../query-log/query-log.ts'
import type { LoggedQuery } from '../query-log/reading-thread.ts'
import { Reason, Status } from '../dns/policy/verdict.ts'
import type { TrafficHistory } from '../traffic/history.ts'
import type { AskingPeer } from './page-server.ts'
import { readFilterView, type FilterView, type SelfPause } from './self-pause.ts'

const hour = 3_600_000

/** Names of the last hour that are shown, and queries that are read for them. */
const [maxNames, maxQueries] = [50, 2000]

/** Dependencies of `createDeviceView`. */
export interface DeviceViewDependencies {
  readonly clock: Clock
  readonly peers: Pick<Peers, 'get'>
  readonly connections: Pick<ConnectionRecorder, 'current'>
  readonly history: Pick<TrafficHistory, 'ofPeer'>
  readonly queryLog: Pick<QueryLog, 'list'>
  readonly filtering: Pick<Filtering, 'names' | 'settings' | 'peerName' | 'profiles' | 'pauses'>
  readonly requests: Pick<NameRequests, 'ofPeer'>
  readonly selfPause: SelfPause
}

/** A name that was blocked for a device in the last hour. */
export interface BlockedName {
  readonly domain: string
  readonly count: number
  /** Milliseconds since the epoch. */
  readonly lastAt: number
  /** In words. */
  readonly why: string
  readonly isAsked: boolean
}

/** Bytes as the device sees them. */
export interface DeviceTraffic {
  readonly received: number
  readonly sent: number
}

/** What the page tells a person of their device. */
export interface DeviceView {
  readonly now: number
  readonly peer: Peer
  /** Such as phone.vpn; null for none. */
  readonly dnsName: string | null
  readonly connectedSince: number | null
  readonly today: DeviceTraffic
  readonly month: DeviceTraffic
  /** The last 24 hours, oldest first. */
  readonly hours: readonly DeviceTraffic[]
  readonly filter: FilterView
  /** Null where nothing is recorded. */
  readonly blocked: readonly BlockedName[] | null
  readonly requests: readonly NameRequestRow[]
}

/** Creates what reads the view of a device. */
export function createDeviceView(dependencies: DeviceViewDependencies): (peer: AskingPeer) => Promise<DeviceView> {
  const { clock, peers, connections, history, filtering, requests } = dependencies
  return async ({ id }) => {
    const now = clock.now()
    const peer = await peers.get({ role: 'user' }, id)
    const asked = await requests.ofPeer(id)
    const [midnight, first] = [new Date(now), new Date(now)]
    midnight.setHours(0, 0, 0, 0)
    first.setHours(0, 0, 0, 0)
    first.setDate(1)
    const sumSince = async (start: number, resolution: 'hourly' | 'daily') => {
      // In the very first moment of a day there is no time to sum up.
      const { totals } = await history.ofPeer(id, { start: Math.min(start, now - 1), resolution })
      return trafficOf(totals)
    }
    const day = await history.ofPeer(id, { resolution: 'hourly' })
    return {
      now,
      peer,
      dnsName: filtering.peerName(id),
      connectedSince: connections.current(id)?.began ?? null,
      today: await sumSince(midnight.getTime(), 'hourly'),
      month: await sumSince(first.getTime(), 'daily'),
      hours: day.points.map(trafficOf),
      filter: await readFilterView(dependencies, peer, now),
      blocked: await readBlocked(dependencies, { peer, asked, now }),
      requests: asked,
    }
  }
}

/** The server's directions, turned round. */
const trafficOf = ({ rx_bytes: sent, tx_bytes: received }: { rx_bytes: number; tx_bytes: number }): DeviceTraffic => ({
  received,
  sent,
})

interface ReadingBlocked {
  readonly peer: Peer
  readonly asked: readonly NameRequestRow[]
  readonly now: number
}

async function readBlocked(
  { queryLog, filtering }: DeviceViewDependencies,
  { peer, asked, now }: ReadingBlocked,
): Promise<BlockedName[] | null> {
  const { query_log: logs, anonymize_clients: isAnonymous } = filtering.settings.current()
  if (!peer.dns_logging_enabled || logs === 'none' || isAnonymous) return null
  const filter = { client: peer.id, status: Status.blocked, start: now - hour }
  const { rows } = await queryLog.list(filter, { limit: maxQueries, offset: 0 }).catch(() => ({ rows: [] }))
  // The log also finds peers that are called like this id.
  const own = rows.filter(({ client, at }) => at >= now - hour && filtering.names.client(client)?.id === peer.id)
  const open = new Set(asked.filter(({ status }) => status === 'open').map(({ domain }) => domain))
  const names = [...Map.groupBy(own, ({ domain }) => domain)].flatMap(([domain, [last, ...more]]): BlockedName[] =>
    last === undefined
      ? []
      : [
          {
            domain,
            count: more.length + 1,
            lastAt: last.at,
            why: reasonText(last, filtering.names),
            isAsked: open.has(domain),
          },
        ],
  )
  return names.toSorted((one, other) => other.lastAt - one.lastAt).slice(0, maxNames)
}

/** Why a name was blocked, as one says it to the person who wanted it. */
function reasonText({ reason, source }: Pick<LoggedQuery, 'reason' | 'source'>, names: Filtering['names']): string {
  const list = names.list(source)?.name
  switch (reason) {
    case Reason.list:
      return list === undefined ? 'on a block list' : `on the block list ${list}`
    case Reason.address:
      return list === undefined ? 'leads to a blocked address' : `leads to an address on the list ${list}`
    case Reason.rule:
      return ruleText(names.rule(source))
    case Reason.special:
      return 'a name by which devices get around the filter'
    case Reason.privateAnswer:
      return 'leads to an address of a private network'
    default:
      return 'blocked by the filter'
  }
}

function ruleText(rule: ReturnType<Filtering['names']['rule']>): string {
  if (rule === undefined) return 'by a rule'
  if (rule.from !== undefined) return `${rule.from.charAt(0).toLowerCase()}${rule.from.slice(1)}: ${rule.text}`
  return rule.client === null ? 'by a rule for everyone' : 'by a rule for this device'
}
