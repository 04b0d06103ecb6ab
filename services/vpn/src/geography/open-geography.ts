import { join } from 'node:path'
import type { Database } from '@hearth/database'
import type { OpenGuarded } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { Attribution } from './attribution.ts'
import type { DatabaseKind } from './database-file.ts'
import { openDatabases, type Databases } from './databases.ts'
import { startDestinations, type Destinations } from './destinations.ts'
import { tidyPlaces } from './retention.ts'
import { DatabaseUpdates } from './updates.ts'

export interface GeographyDataParts {
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

/** Parts of geography, running. */
export interface GeographyData {
  readonly databases: Databases
  readonly attribution: Attribution
  readonly destinations: Destinations
  /** An address to download from is another one. */
  readonly addressChanged: () => void
  readonly updateProblem: (kind: DatabaseKind) => string | null
  /** Deletes what began before a moment, and joins what is old. */
  tidy(before: number): Promise<void>
  close(): Promise<void>
}

/** Opens the databases of places, and keeps them and what is counted by them up to date until closed. */
export async function openGeographyData(parts: GeographyDataParts): Promise<GeographyData> {
  const { config, database, clock, log, settings, open } = parts
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
    // A file of the operator's own is never replaced, and nothing is downloaded in vain.
    url: (kind) => (config.geoDatabases[kind] === undefined ? settings()[addresses[kind]] : ''),
  })
  return {
    databases,
    attribution,
    destinations,
    addressChanged: () => updates.changed(),
    updateProblem: (kind) => updates.problem(kind),
    tidy: (before) => tidyPlaces({ database, clock }, before),
    async close() {
      await updates.close()
      await destinations.close()
      await databases.close()
    },
  }
}
