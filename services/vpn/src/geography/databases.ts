import { basename, join } from 'node:path'
import type { Log } from '@hearth/runtime'
import { createDatabaseFile, type DatabaseFile, type DatabaseKind } from './database-file.ts'
import { nowhere, placeOf, type Place } from './place.ts'

/** Interval at which the files are checked, milliseconds. */
const lookInterval = 5000

/** Addresses whose places are remembered. */
const rememberedAtMost = 10_000

/** A database as it is told to callers. */
export interface DatabaseFacts {
  readonly type: string
  /** Time when it was made, seconds since the epoch. */
  readonly build_epoch: number
  /** Name of the file, without its folder. */
  readonly file: string
}

export interface DatabasesParts {
  /** `GEOIP_COUNTRY_DB` and `GEOIP_ASN_DB`; where undefined, the file that is downloaded. */
  readonly files: Readonly<Record<DatabaseKind, string | undefined>>
  /** Folder of what is downloaded. */
  readonly folder: string
  readonly log: Log
}

/** Folder where a downloaded database is kept. */
export const downloadedPath = (folder: string, kind: DatabaseKind) => join(folder, `${kind}.mmdb`)

/** Opens what is there, and looks for replacements until closed. A missing or broken file is no error. */
export async function openDatabases(parts: DatabasesParts): Promise<Databases> {
  const fileOf = (kind: DatabaseKind) =>
    createDatabaseFile(parts.files[kind] ?? downloadedPath(parts.folder, kind), kind)
  const databases = new Databases({ country: fileOf('country'), asn: fileOf('asn') }, parts)
  await databases.look()
  databases.watch()
  return databases
}

/** The two databases of places, whichever are there at the moment. */
export class Databases {
  readonly #files: Readonly<Record<DatabaseKind, DatabaseFile>>
  readonly #parts: DatabasesParts
  readonly #places = new Map<string, Place>()
  #damage: string | null = null
  #timer: NodeJS.Timeout | undefined
  #looking = Promise.resolve()

  constructor(files: Readonly<Record<DatabaseKind, DatabaseFile>>, parts: DatabasesParts) {
    this.#files = files
    this.#parts = parts
  }

  watch(): void {
    this.#timer = setInterval(() => void this.look(), lookInterval)
    this.#timer.unref()
  }

  /** Returns the place of an address; only unknown parts without a database. Never throws. */
  place(address: string): Place {
    const known = this.#places.get(address)
    if (known !== undefined) return known
    const place = this.#lookUp(address)
    if (this.#places.size >= rememberedAtMost) this.#places.clear()
    this.#places.set(address, place)
    return place
  }

  has(kind: DatabaseKind): boolean {
    return this.#files[kind].current() !== undefined
  }

  facts(kind: DatabaseKind): DatabaseFacts | null {
    const database = this.#files[kind].current()
    if (database === undefined) return null
    return { type: database.type, build_epoch: database.buildEpoch, file: basename(this.#files[kind].path) }
  }

  /** Returns the reason why a database is not there, or not the newest one; null when all is well. */
  problem(kind: DatabaseKind): string | null {
    if (this.has(kind)) return this.#files[kind].problem() ?? this.#damage
    const isNamed = this.#parts.files[kind] !== undefined
    const isConfigured = isNamed || this.#files[kind].problem()?.includes('cannot be used') === true
    return isConfigured
      ? this.#files[kind].problem()
      : `No ${kind === 'asn' ? 'ASN' : 'country'} database: set ${variable[kind]} to a file, or an address to download one from`
  }

  /** Looks at the files at once. */
  look(): Promise<void> {
    this.#looking = this.#lookAfter(this.#looking)
    return this.#looking
  }

  async #lookAfter(earlier: Promise<void>): Promise<void> {
    await earlier
    for (const kind of ['country', 'asn'] as const) {
      const before = this.#files[kind].problem()
      if (await this.#files[kind].look()) {
        this.#places.clear()
        this.#damage = null
        const facts = this.facts(kind)
        if (facts !== null) this.#parts.log.info({ ...facts }, `${kind} database opened`)
      }
      const problem = this.#files[kind].problem()
      if (problem !== null && problem !== before) this.#parts.log.warn(problem)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  #lookUp(address: string): Place {
    try {
      return placeOf(address, { country: this.#files.country.current(), asn: this.#files.asn.current() })
    } catch (error) {
      this.#damage = error instanceof Error ? error.message : 'a database is damaged'
      return nowhere
    }
  }
}

const variable = { country: 'GEOIP_COUNTRY_DB', asn: 'GEOIP_ASN_DB' } as const
