import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { openMmdb, type Mmdb } from './mmdb/mmdb.ts'

/** Kind of a database. */
export type DatabaseKind = 'country' | 'asn'

/** Largest file that is taken, bytes. It is held in memory. */
export const largestDatabase = 200 * 1_048_576

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

/** A database file that may come, go and be replaced at any time. */
export interface DatabaseFile {
  readonly path: string
  /** The newest one that could be opened; undefined for none. */
  current(): Mmdb | undefined
  /** Returns the reason why there is none, or why what is there now could not be opened; null when all is well. */
  problem(): string | null
  /** Looks whether the file is another than before, and opens it. Returns whether what is in force changed. */
  look(): Promise<boolean>
}

/** A file that is not opened before the first `look`. */
export function createDatabaseFile(path: string, kind: DatabaseKind): DatabaseFile {
  let database: Mmdb | undefined
  let problem: string | null = `${basename(path)} is not there`
  let seen = ''
  return {
    path,
    current: () => database,
    problem: () => problem,
    async look() {
      const before = database
      const identity = await identityOf(path)
      if (identity === seen) return false
      seen = identity
      if (identity === '') {
        database = undefined
        problem = `${basename(path)} is not there`
        return before !== undefined
      }
      try {
        if ((await stat(path)).size > largestDatabase) throw new Error('it is larger than any database')
        database = openDatabaseBytes(await readFile(path), kind)
        problem = null
      } catch (error) {
        problem = `${basename(path)} cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`
      }
      return before !== database
    },
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
