import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import type { Filtering } from '../dns/filtering.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { allListRows } from '../lists/store.ts'
import type { DataPlaneChoice } from '../wireguard/choose-driver.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { driftShownMs, healthNotices, type DriftFacts } from './notices.ts'
import type { HealthNotice } from './schema.ts'

/** What health is read from. */
export interface HealthParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly dataPlane: DataPlaneChoice
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly filtering: Pick<Filtering, 'status' | 'settings'>
  readonly drifts: DriftRecord
}

/** The last drift of each interface. */
export interface DriftRecord {
  note(subject: string, message: string): void
  recent(): readonly DriftFacts[]
}

/** Remembers drifts for an hour; one for each interface and one for the firewall. */
export function createDriftRecord(clock: Pick<Clock, 'now'>): DriftRecord {
  const drifts = new Map<string, DriftFacts>()
  const forgetOld = () => {
    for (const [subject, { at }] of drifts) if (clock.now() - at >= driftShownMs) drifts.delete(subject)
  }
  return {
    note(subject, message) {
      forgetOld()
      drifts.set(subject, { at: clock.now(), message })
    },
    recent() {
      forgetOld()
      return [...drifts.values()]
    },
  }
}

/** Reads what is wrong with the service at the moment, the worst first. */
export async function readHealth(parts: HealthParts): Promise<HealthNotice[]> {
  const { database, clock, dataPlane, tunnels, filtering, drifts } = parts
  const lists = await allListRows(database.query)
  const interfaces = await allInterfaceRows(database.query)
  return healthNotices({
    now: clock.now(),
    uptimeSeconds: process.uptime(),
    dns: filtering.status(),
    lists: lists.map(({ name, enabled, entries, last_checked, last_error }) => ({
      name,
      isEnabled: enabled === 1,
      entries,
      lastChecked: last_checked,
      lastError: last_error,
    })),
    updateHours: filtering.settings.current().blocklists_update_interval_hours,
    dataPlane,
    failedInterfaces: interfaces.flatMap(({ name, enabled }) => {
      const { status, reason } = tunnels.state(name)
      return enabled === 1 && status === 'error' ? [{ name, reason: reason ?? 'no reason is known' }] : []
    }),
    drifts: drifts.recent(),
  })
}
