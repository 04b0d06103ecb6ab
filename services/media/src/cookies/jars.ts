import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { Platform } from '../platforms/schema.ts'
import { CookieError, type Cookie } from './cookie.ts'
import { encodeNetscape, parseNetscape } from './netscape-text.ts'
import { describeJar, type StoredJar } from './platform-cookies.ts'
import type { CookieSnapshot } from './schema.ts'
import { deleteJarRow, findJarRow, saveJarRow } from './store.ts'

interface CookieJarDependencies {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
}

/** The cookies of each platform, sealed in the database, where every process finds them. */
export type CookieJars = ReturnType<typeof createCookieJars>

/** Creates the store of the jars. */
export function createCookieJars({ db, sealer, clock }: CookieJarDependencies) {
  function unseal(platform: Platform, content: string): readonly Cookie[] {
    try {
      return parseNetscape(sealer.open(content, placeOf(platform)))
    } catch (cause) {
      throw new CookieError('unreadable', `the stored cookies of ${platform} cannot be read`, { cause })
    }
  }

  /** Returns a jar with its date, also when it cannot be read. */
  async function stored(platform: Platform): Promise<StoredJar | undefined> {
    const row = await findJarRow(db, platform)
    if (row === undefined) return undefined
    try {
      return { cookies: unseal(platform, row.content_sealed), updatedAt: row.updated_at }
    } catch (error) {
      if (error instanceof CookieError) return { cookies: undefined, updatedAt: row.updated_at }
      throw error
    }
  }

  const describe = async (platform: Platform): Promise<CookieSnapshot> =>
    describeJar(platform, await stored(platform), clock.now())

  return {
    /** Returns undefined without a jar; throws a `CookieError` (`unreadable`) when it or its key is broken. */
    async read(platform: Platform): Promise<readonly Cookie[] | undefined> {
      const row = await findJarRow(db, platform)
      return row === undefined ? undefined : unseal(platform, row.content_sealed)
    },
    describe,
    /** Describes the jar of every platform. */
    describeAll: (): Promise<CookieSnapshot[]> => Promise.all(Platform.options.map(describe)),
    /** Replaces the platform's jar. */
    async save(platform: Platform, cookies: readonly Cookie[]): Promise<CookieSnapshot> {
      const content_sealed = sealer.seal(encodeNetscape(cookies), placeOf(platform))
      await saveJarRow(db, { platform, content_sealed, updated_at: clock.now() })
      return describe(platform)
    },
    /** Deletes a jar; false when there is none. */
    remove: (platform: Platform): Promise<boolean> => deleteJarRow(db, platform),
    /**
     * Runs `work` with the path of a private copy of the jar in `folder`, because download tools write into the jar they are
     * given, and removes it afterwards. Without a valid jar the path is undefined: cookies without a login are not sent.
     */
    async withPrivateCopy<T>(
      platform: Platform,
      folder: string,
      work: (path: string | undefined) => Promise<T>,
    ): Promise<T> {
      const jar = await stored(platform)
      const { authenticated } = describeJar(platform, jar, clock.now())
      if (!authenticated || jar?.cookies === undefined) return work(undefined)
      const copy = join(folder, `cookies-${randomUUID()}.txt`)
      try {
        await writeFile(copy, encodeNetscape(jar.cookies), { mode: 0o600, flag: 'wx' })
        return await work(copy)
      } finally {
        await rm(copy, { force: true })
      }
    },
  }
}

/** Context a sealed jar is bound to: the jar of another platform does not open. */
function placeOf(platform: Platform): string {
  return `cookie_jars.content:${platform}`
}
