import type { Database } from '@hearth/database'
import { momentOf, type Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import type { Filtering } from '../dns/filtering.ts'
import type { HealthNotice } from '../health/schema.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { statusOf } from '../peers/followed-peer.ts'
import type { FollowedPeer, Sampler } from '../peers/sampler.ts'
import type { TrafficHistory } from '../traffic/history.ts'
import type { DataPlaneChoice } from '../wireguard/choose-driver.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import type { Dashboard } from './schema.ts'

export interface OverviewParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly version: string
  readonly dataPlane: DataPlaneChoice
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly sampler: Pick<Sampler, 'peers' | 'lastReport'>
  readonly history: Pick<TrafficHistory, 'today'>
  readonly filtering: Pick<Filtering, 'status'>
  readonly health: () => Promise<HealthNotice[]>
}

/** Reads the whole service at a glance. */
export async function readOverview(parts: OverviewParts): Promise<Dashboard> {
  const interfaces = await allInterfaceRows(parts.database.query)
  const sample = parts.sampler.lastReport()
  const today = await parts.history.today()
  const names = parts.filtering.status()
  const { counts, traffic, lastHandshake } = addUp(parts.sampler.peers(), parts.clock.now())
  return {
    interfaces: {
      total: interfaces.length,
      active: interfaces.filter((row) => parts.tunnels.state(row.name).status === 'up').length,
    },
    peers: counts,
    traffic: {
      ...traffic,
      rx_rate: sample?.rate.rx ?? 0,
      tx_rate: sample?.rate.tx ?? 0,
      today,
      last_handshake: momentOf(lastHandshake),
    },
    dns: {
      running: names.running,
      blocking_enabled: names.blocking.enabled,
      paused_until: names.blocking.paused_until,
      blocked_names: names.blocked_names,
    },
    system: {
      version: parts.version,
      uptime_seconds: Math.floor(process.uptime()),
      backend: parts.dataPlane.backend,
      backend_reason: parts.dataPlane.reason,
      backend_advice: parts.dataPlane.advice,
      sample_duration_ms: Math.round((sample?.durationMs ?? 0) * 10) / 10,
    },
    health: await parts.health(),
    generated_at: new Date(parts.clock.now()).toISOString(),
  }
}

function addUp(peers: Iterable<FollowedPeer>, now: number) {
  const counts = { total: 0, connected: 0, active: 0, inactive: 0, disabled: 0 }
  const traffic = { rx_bytes: 0, tx_bytes: 0 }
  let lastHandshake: number | null = null
  for (const peer of peers) {
    counts.total += 1
    counts[statusOf(peer, now)] += 1
    traffic.rx_bytes += peer.activity.rxTotal
    traffic.tx_bytes += peer.activity.txTotal
    const handshake = peer.activity.lastHandshake
    if (handshake !== null) lastHandshake = Math.max(handshake, lastHandshake ?? 0)
  }
  counts.connected = counts.active
  return { counts, traffic, lastHandshake }
}
