import { join } from 'node:path'
import type { Database } from '@hearth/database'
import type { OpenGuarded } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import { Attribution } from './attribution.ts'
import { type DatabaseKind, openDatabases } from './databases.ts'
import { startDestinations } from './destinations.ts'
import { DatabaseUpdates } from './updates.ts'
import { bucketStart, tiers } from '../traffic/bucket.ts'
import { hourlyFor } from './geography.ts'
import { deletePlacesBefore, joinHoursOfDay, oldestHourlyDay } from './store.ts'

export interface GeographyDataDependencies {
  readonly config: {
    readonly dataDirectory: string
    readonly geoDatabases: Readonly<Record<DatabaseKind, string | undefined>>
  }
  /** Fetches from places an operator named, through the guard. */
  readonly open: OpenGuarded
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly settings: () => {
    readonly geoip_country_url: string
    readonly geoip_asn_url: string
    readonly destination_metrics_enabled: boolean
  }
}

/** Opens the databases of places, and keeps them and what is counted by them up to date until closed. */
export async function openGeographyData(dependencies: GeographyDataDependencies) {
  const { config, database, clock, log, settings, open } = dependencies
  const folder = join(config.dataDirectory, 'geo')
  const databases = await openDatabases({ files: config.geoDatabases, folder, log })
  const attribution = new Attribution(databases)
  const destinations = startDestinations({
    database,
    attribution,
    clock,
    log,
    isEnabled: () => settings().destination_metrics_enabled,
  })
  const addresses = { country: 'geoip_country_url', asn: 'geoip_asn_url' } as const
  const updates = new DatabaseUpdates({
    databases,
    folder,
    clock,
    log,
    open,
    // The operator's own file is never replaced, and nothing is downloaded needlessly.
    url: (kind) => (config.geoDatabases[kind] === undefined ? settings()[addresses[kind]] : ''),
  })
  return {
    databases,
    attribution,
    destinations,
    /** An address to download from is another one. */
    addressChanged: () => updates.changed(),
    updateProblem: (kind: DatabaseKind) => updates.problem(kind),
    /** Deletes what began before a time, and joins what is old. */
    cleanUp: (before: number) => deleteOldPlaces({ database, clock }, before),
    async close() {
      await updates.close()
      await destinations.close()
      await databases.close()
    },
  }
}

/** Days that are joined in one go; the rest waits for the next. */
const daysAtOnce = 40

/** Deletes places before a time, and merges hours older than a week into days. */
export async function deleteOldPlaces(
  { database, clock }: { database: Database<Tables>; clock: Clock },
  before: number,
) {
  const { query } = database
  await deletePlacesBefore(query, before)
  const limit = bucketStart(clock.now(), tiers.day) - hourlyFor
  for (let count = 0; count < daysAtOnce; count += 1) {
    const day = await oldestHourlyDay(query, limit)
    if (day === undefined) return
    await joinHoursOfDay(query, day)
  }
}
