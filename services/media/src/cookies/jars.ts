import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sealer } from '@hearth/credentials'
import { openDataDirectory, writeFileAtomic, type Clock } from '@hearth/runtime'
import { Platform } from '../platforms/schema.ts'
import type { Cookie } from './cookie.ts'
import { CookieError } from './cookie-error.ts'
import { describeJar, jarName, type StoredJar } from './describe-jar.ts'
import { encodeNetscape, parseNetscape } from './netscape-text.ts'
import type { CookieSnapshot } from './schema.ts'

/** The cookies of each platform, at rest. */
export interface CookieJars {
  /** Undefined without a jar; throws a `CookieError` (`unreadable`) when the file or its key is broken. */
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

/** What jars need. Without a sealer they are kept as plain text, readable by the owner of the data directory alone. */
export interface CookieJarParts {
  readonly folder: string
  readonly sealer?: Sealer | undefined
  readonly clock: Clock
}

/** Opens the folder of the jars (0700, one file a platform, 0600), making it when it is missing. */
export function createCookieJars({ folder, sealer, clock }: CookieJarParts): CookieJars {
  openDataDirectory(folder)
  const pathOf = (platform: Platform) => join(folder, jarName(platform))
  const read = async (platform: Platform) => readJar(pathOf(platform), platform, sealer)
  const describe = async (platform: Platform) =>
    describeJar(platform, await storedJar(pathOf(platform), read(platform)), clock.now())

  return {
    read,
    describe,
    describeAll: () => Promise.all(Platform.options.map(describe)),
    async save(platform, cookies) {
      const text = encodeNetscape(cookies)
      await writeFileAtomic(pathOf(platform), sealer?.seal(text, placeOf(platform)) ?? text, 0o600)
      return describe(platform)
    },
    async remove(platform) {
      return (await orMissing(rm(pathOf(platform)).then(() => true))) ?? false
    },
    async withPrivateCopy(platform, runFolder, work) {
      const jar = await storedJar(pathOf(platform), read(platform))
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
  return `cookies:${platform}`
}

async function readJar(
  path: string,
  platform: Platform,
  sealer: Sealer | undefined,
): Promise<readonly Cookie[] | undefined> {
  const content = await orMissing(readFile(path, 'utf8'))
  if (content === undefined) return undefined
  try {
    // A jar stored before there was a key is plain text and begins with a comment.
    const isPlain = sealer === undefined || content.startsWith('#')
    return parseNetscape(isPlain ? content : sealer.open(content, placeOf(platform)))
  } catch (cause) {
    throw new CookieError('unreadable', `the stored cookies of ${platform} cannot be read`, { cause })
  }
}

/** A jar with its date, also when it cannot be read. */
async function storedJar(
  path: string,
  reading: Promise<readonly Cookie[] | undefined>,
): Promise<StoredJar | undefined> {
  const outcome = reading.then(
    (cookies) => ({ cookies, isThere: cookies !== undefined }),
    (error: unknown) => {
      if (error instanceof CookieError) return { cookies: undefined, isThere: true }
      throw error
    },
  )
  const [{ cookies, isThere }, file] = await Promise.all([outcome, orMissing(stat(path))])
  return isThere && file !== undefined ? { cookies, updatedAt: file.mtimeMs } : undefined
}

async function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
