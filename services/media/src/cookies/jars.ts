import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { Platform } from '../platforms/schema.ts'
import type { Cookie } from './cookie.ts'
import { CookieError } from './cookie-error.ts'
import { describeJar, type StoredJar } from './describe-jar.ts'
import { encodeNetscape, parseNetscape } from './netscape-text.ts'
import type { CookieSnapshot } from './schema.ts'
import { deleteJarRow, findJarRow, saveJarRow } from './store.ts'

/** The cookies of each platform, at rest. */
export interface CookieJars {
  /** Undefined without a jar; throws a `CookieError` (`unreadable`) when it or its key is broken. */
  read(platform: Platform): Promise<readonly Cookie[] | undefined>
  describe(platform: Platform): Promise<CookieSnapshot>
  /** One snapshot a platform. */
  describeAll(): Promise<CookieSnapshot[]>
  /** Replaces the platform's jar. */
  save(platform: Platform, cookies: readonly Cookie[]): Promise<CookieSnapshot>
  /** Whether there was one. */
  remove(platform: Platform): Promise<boolean>
  /**
   * Runs `work` with the path of a copy of the jar that is its own, because download tools write into the jar they are given,
   * and removes it afterwards. Without a valid jar the path is undefined: cookies that sign nobody in are not sent.
   *
   * @param folder of the run, for its owner alone
   */
  withPrivateCopy<T>(platform: Platform, folder: string, work: (path: string | undefined) => Promise<T>): Promise<T>
}

/** What jars need. They are kept in the database, where every process finds them, and sealed. */
export interface CookieJarParts {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
}

export function createCookieJars({ db, sealer, clock }: CookieJarParts): CookieJars {
  const describe = async (platform: Platform) => describeJar(platform, await readJar(db, sealer, platform), clock.now())
  return {
    async read(platform) {
      const row = await findJarRow(db, platform)
      return row === undefined ? undefined : unseal(sealer, platform, row.content_sealed)
    },
    describe,
    describeAll: () => Promise.all(Platform.options.map(describe)),
    async save(platform, cookies) {
      const content_sealed = sealer.seal(encodeNetscape(cookies), placeOf(platform))
      await saveJarRow(db, { platform, content_sealed, updated_at: clock.now() })
      return describe(platform)
    },
    remove: (platform) => deleteJarRow(db, platform),
    async withPrivateCopy(platform, runFolder, work) {
      const jar = await readJar(db, sealer, platform)
      const { authenticated } = describeJar(platform, jar, clock.now())
      if (!authenticated || jar?.cookies === undefined) return work(undefined)
      const copy = join(runFolder, `cookies-${randomUUID()}.txt`)
      try {
        await writeFile(copy, encodeNetscape(jar.cookies), { mode: 0o600, flag: 'wx' })
        return await work(copy)
      } finally {
        await rm(copy, { force: true })
      }
    },
  }
}

/** What a sealed jar is bound to: one of another platform does not open. */
function placeOf(platform: Platform): string {
  return `cookie_jars.content:${platform}`
}

function unseal(sealer: Sealer, platform: Platform, content: string): readonly Cookie[] {
  try {
    return parseNetscape(sealer.open(content, placeOf(platform)))
  } catch (cause) {
    throw new CookieError('unreadable', `the stored cookies of ${platform} cannot be read`, { cause })
  }
}

/** A jar with its date, also when it cannot be read. */
async function readJar(db: Kysely<Tables>, sealer: Sealer, platform: Platform): Promise<StoredJar | undefined> {
  const row = await findJarRow(db, platform)
  if (row === undefined) return undefined
  try {
    return { cookies: unseal(sealer, platform, row.content_sealed), updatedAt: row.updated_at }
  } catch (error) {
    if (error instanceof CookieError) return { cookies: undefined, updatedAt: row.updated_at }
    throw error
  }
}
