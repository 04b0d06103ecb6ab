import { basename, join } from 'node:path'
import { readFile, stat } from 'node:fs/promises'
import type { Log } from '@hearth/runtime'
import { nowhere, type Place, placeOf } from './place.ts'
import { type Mmdb, openMmdb } from './mmdb/mmdb.ts'
import type { DatabaseFacts } from './schema.ts'

/** Interval at which the files are checked, milliseconds. */
const checkInterval = 5000

/** Maximum number of addresses whose places are remembered. */
const maxRemembered = 10_000

export interface DatabasesDependencies {
  /** `GEOIP_COUNTRY_DB` and `GEOIP_ASN_DB`; where undefined, the file that is downloaded. */
  readonly files: Readonly<Record<DatabaseKind, string | undefined>>
  /** Folder of what is downloaded. */
  readonly folder: string
  readonly log: Log
}

/** Folder where a downloaded database is kept. */
export const downloadedPath = (folder: string, kind: DatabaseKind) => join(folder, `${kind}.mmdb`)

/** Opens what is there, and looks for replacements until closed. A missing or broken file is no error. */
export async function openDatabases(dependencies: DatabasesDependencies): Promise<Databases> {
  const fileOf = (kind: DatabaseKind) =>
    new DatabaseFile(dependencies.files[kind] ?? downloadedPath(dependencies.folder, kind), kind)
  const databases = new Databases({ country: fileOf('country'), asn: fileOf('asn') }, dependencies)
  await databases.reload()
  databases.watch()
  return databases
}

/** The two databases of places; each may be missing. */
export class Databases {
  readonly #files: Readonly<Record<DatabaseKind, DatabaseFile>>
  readonly #dependencies: DatabasesDependencies
  readonly #places = new Map<string, Place>()
  #damage: string | null = null
  #timer: NodeJS.Timeout | undefined
  #reloading = Promise.resolve()

  constructor(files: Readonly<Record<DatabaseKind, DatabaseFile>>, dependencies: DatabasesDependencies) {
    this.#files = files
    this.#dependencies = dependencies
  }

  watch(): void {
    this.#timer = setInterval(() => void this.reload(), checkInterval)
    this.#timer.unref()
  }

  /** Returns the place of an address; only unknown parts without a database. Never throws. */
  place(address: string): Place {
    const known = this.#places.get(address)
    if (known !== undefined) return known
    const place = this.#lookUp(address)
    if (this.#places.size >= maxRemembered) this.#places.clear()
    this.#places.set(address, place)
    return place
  }

  has(kind: DatabaseKind): boolean {
    return this.#files[kind].database !== undefined
  }

  facts(kind: DatabaseKind): DatabaseFacts {
    const database = this.#files[kind].database
    if (database === undefined) return null
    return { type: database.type, build_epoch: database.buildEpoch, file: basename(this.#files[kind].path) }
  }

  allFacts() {
    return { country: this.facts('country'), asn: this.facts('asn') }
  }

  /** Returns the reason why a database is not there, or not the newest one; null when all is well. */
  problem(kind: DatabaseKind): string | null {
    if (this.has(kind)) return this.#files[kind].problem ?? this.#damage
    const isNamed = this.#dependencies.files[kind] !== undefined
    const isConfigured = isNamed || this.#files[kind].problem?.includes('cannot be used') === true
    return isConfigured
      ? this.#files[kind].problem
      : `No ${kind === 'asn' ? 'ASN' : 'country'} database: set ${variable[kind]} to a file, or an address to download one from`
  }

  /** Examines the files at once. */
  reload(): Promise<void> {
    this.#reloading = this.#reloadAfter(this.#reloading)
    return this.#reloading
  }

  async #reloadAfter(earlier: Promise<void>): Promise<void> {
    await earlier
    for (const kind of ['country', 'asn'] as const) {
      const before = this.#files[kind].problem
      if (await this.#files[kind].reload()) {
        this.#places.clear()
        this.#damage = null
        const facts = this.facts(kind)
        if (facts !== null) this.#dependencies.log.info({ ...facts }, `${kind} database opened`)
      }
      const problem = this.#files[kind].problem
      if (problem !== null && problem !== before) this.#dependencies.log.warn(problem)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reloading
  }

  #lookUp(address: string): Place {
    try {
      return placeOf(address, { country: this.#files.country.database, asn: this.#files.asn.database })
    } catch (error) {
      this.#damage = error instanceof Error ? error.message : 'a database is damaged'
      return nowhere
    }
  }
}

const variable = { country: 'GEOIP_COUNTRY_DB', asn: 'GEOIP_ASN_DB' } as const

/** Kind of a database. */
export type DatabaseKind = 'country' | 'asn'

/** Maximum size of a file, bytes. It is held in memory. */
export const maxDatabaseBytes = 200 * 1_048_576

/** Types of databases that know something else than what they are configured for. */
const foreign = { country: /asn|isp|domain|connection|anonymous/i, asn: /city|country/i } as const

/** Opens a database of a kind and tries it all over. Throws, with a sentence for the operator, when it cannot serve. */
export function openDatabaseBytes(bytes: Buffer, kind: DatabaseKind): Mmdb {
  const database = openMmdb(bytes)
  if (foreign[kind].test(database.type)) throw new Error(`a ${database.type} database has no ${facts[kind]}`)
  for (let part = 0; part < 256; part += 1) {
    database.get(`${part}.100.20.1`)
    database.get(`2${part.toString(16).padStart(3, '0')}:100::1`)
  }
  return database
}

const facts = { country: 'countries', asn: 'networks' } as const

/** A database file that may come, go and be replaced at any time. It is not opened before the first `reload`. */
class DatabaseFile {
  readonly path: string
  readonly #kind: DatabaseKind
  /** The newest one that could be opened; undefined for none. */
  database: Mmdb | undefined
  /** Reason why there is none, or why what is there now could not be opened; null when all is well. */
  problem: string | null
  #identity = ''

  constructor(path: string, kind: DatabaseKind) {
    this.path = path
    this.#kind = kind
    this.problem = `${basename(path)} is not there`
  }

  /** Opens the file when it is another than before. Returns true if the database in use changed. */
  async reload(): Promise<boolean> {
    const before = this.database
    const identity = await identityOf(this.path)
    if (identity === this.#identity) return false
    this.#identity = identity
    if (identity === '') {
      this.database = undefined
      this.problem = `${basename(this.path)} is not there`
      return before !== undefined
    }
    try {
      if ((await stat(this.path)).size > maxDatabaseBytes) throw new Error('it is larger than any database')
      this.database = openDatabaseBytes(await readFile(this.path), this.#kind)
      this.problem = null
    } catch (error) {
      this.problem = `${basename(this.path)} cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`
    }
    return before !== this.database
  }
}

/** Changes whenever the file does; empty when it is not there. */
async function identityOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return ''
  }
}
