import type { Database } from '@hearth/database'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import type { Filtering } from '../filtering/filtering.ts'
import type { HealthNotice } from '../health/schema.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { type FollowedPeer, statusOf } from '../peers/followed-peer.ts'
import type { Sampler } from '../peers/sampler.ts'
import type { TrafficHistory } from '../traffic/history.ts'
import type { DataPlaneChoice } from '../wireguard/choose-driver.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import type { Dashboard } from './schema.ts'

export interface OverviewDependencies {
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

/** Reads the summary of the whole service. */
export async function readOverview(dependencies: OverviewDependencies): Promise<Dashboard> {
  const interfaces = await allInterfaceRows(dependencies.database.query)
  const sample = dependencies.sampler.lastReport()
  const today = await dependencies.history.today()
  const names = dependencies.filtering.status()
  const { counts, traffic, lastHandshake } = addUp(dependencies.sampler.peers(), dependencies.clock.now())
  return {
    interfaces: {
      total: interfaces.length,
      active: interfaces.filter((row) => dependencies.tunnels.state(row.name).status === 'up').length,
    },
    peers: counts,
    traffic: {
      ...traffic,
      rx_rate: sample?.rate.rx ?? 0,
      tx_rate: sample?.rate.tx ?? 0,
      today,
      last_handshake: toIsoString(lastHandshake),
    },
    dns: {
      running: names.running,
      blocking_enabled: names.blocking.enabled,
      paused_until: names.blocking.paused_until,
      blocked_names: names.blocked_names,
    },
    system: {
      version: dependencies.version,
      uptime_seconds: Math.floor(process.uptime()),
      backend: dependencies.dataPlane.backend,
      backend_reason: dependencies.dataPlane.reason,
      backend_advice: dependencies.dataPlane.advice,
      sample_duration_ms: Math.round((sample?.durationMs ?? 0) * 10) / 10,
    },
    health: await dependencies.health(),
    generated_at: new Date(dependencies.clock.now()).toISOString(),
  }
}

function addUp(peers: Iterable<FollowedPeer>, now: number) {
  const counts = { total: 0, connected: 0, active: 0, inactive: 0, disabled: 0 }
  const traffic = { rx_bytes: 0, tx_bytes: 0 }
  let lastHandshake: number | null = null
  for (const peer of peers) {
    counts.total += 1
    counts[statusOf(peer, now)] += 1
    traffic.rx_bytes += peer.activity.rx_total
    traffic.tx_bytes += peer.activity.tx_total
    const handshake = peer.activity.last_handshake
    if (handshake !== null) lastHandshake = Math.max(handshake, lastHandshake ?? 0)
  }
  counts.connected = counts.active
  return { counts, traffic, lastHandshake }
}
