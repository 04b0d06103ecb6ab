import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, opendir, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { flushToDisk, openDataDirectory, OperatorError } from '@hearth/runtime'
import {
  ArtifactMissing,
  assertArtifactName,
  assertJobId,
  assertRange,
  behindTheEnd,
  isArtifactName,
  isJobId,
  type ArtifactFacts,
  type ArtifactRange,
  type ArtifactStore,
  type StoredJob,
} from './artifact-store.ts'

/** Age from which a half-copied file counts as left by a process that has died, milliseconds. */
const leftoverAge = 24 * 3_600_000

/**
 * Keeps artifacts as `<directory>/<job id>/<name>`; directories 0700, files 0600. No symbolic link below the directory is
 * followed. Several processes may use it together. Throws an `OperatorError` when it cannot be used.
 */
export async function openDirectoryStore(path: string): Promise<ArtifactStore> {
  try {
    const root = await realpath(openDataDirectory(path))
    const arrivals = openDataDirectory(join(root, '.arrivals'))
    await removeLeftovers(arrivals)
    return new DirectoryStore(root, arrivals)
  } catch (error) {
    const reason = error instanceof OperatorError ? error.cause : error
    throw new OperatorError(`ARTIFACTS: cannot use ${path}: ${(reason as Error).message}`, { cause: error })
  }
}

async function removeLeftovers(arrivals: string): Promise<void> {
  for (const name of await readdir(arrivals)) {
    const facts = await orWhenMissing(lstat(join(arrivals, name)), undefined)
    // A folder is on its way out, whoever deletes it.
    const isYoung = facts?.isDirectory() === false && Date.now() - facts.mtimeMs < leftoverAge
    if (facts === undefined || isYoung) continue
    await rm(join(arrivals, name), { recursive: true, force: true })
  }
}

class DirectoryStore implements ArtifactStore {
  readonly #root: string
  /** Files on their way in, and folders on their way out; on the same file system as the rest. */
  readonly #arrivals: string

  constructor(root: string, arrivals: string) {
    this.#root = root
    this.#arrivals = arrivals
  }

  async put(jobId: string, name: string, file: string): Promise<void> {
    assertArtifactName(jobId, name)
    await settleFile(file)
    const target = join(this.#root, jobId, name)
    try {
      await this.#moveIn(jobId, { from: file, target })
    } catch (error) {
      if (!isCode(error, 'EXDEV')) throw error
      const copy = await this.#copyIn(file)
      await this.#moveIn(jobId, { from: copy, target }).catch(async (error: unknown) => {
        await rm(copy, { force: true })
        throw error
      })
      await unlink(file)
    }
  }

  /** The folder is removed with its last artifact, so it is made again when that happened meanwhile. */
  async #moveIn(jobId: string, { from, target }: { readonly from: string; readonly target: string }): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const folder = await this.#makeFolder(jobId)
        await rename(from, target)
        await flushToDisk(folder)
        return
      } catch (error) {
        if (!isCode(error, 'ENOENT') || attempt === 5) throw error
      }
    }
  }

  async #makeFolder(jobId: string): Promise<string> {
    const folder = join(this.#root, jobId)
    try {
      await mkdir(folder, { mode: 0o700 })
      await flushToDisk(this.#root)
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
    if ((await realpath(folder)) !== folder) throw linked(jobId)
    return folder
  }

  async #copyIn(file: string): Promise<string> {
    const copy = join(this.#arrivals, randomUUID())
    const from = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const to = await open(copy, 'wx', 0o600)
      await pipeline(from.createReadStream({ highWaterMark: 1 << 20 }), to.createWriteStream({ flush: true }))
      return copy
    } catch (error) {
      await from.close()
      await rm(copy, { force: true })
      throw error
    }
  }

  /** The folder of a job, when it is one and not a link to somewhere else. */
  async #folderOf(jobId: string): Promise<string | undefined> {
    const folder = join(this.#root, jobId)
    const real = await orWhenMissing(realpath(folder), undefined)
    if (real === undefined || real === folder) return real
    throw linked(jobId)
  }

  async stat(jobId: string, name: string): Promise<ArtifactFacts | undefined> {
    const handle = await this.#openFile(jobId, name)
    try {
      const facts = await handle?.stat({ bigint: true })
      if (facts === undefined) return undefined
      const tag = [facts.ino, facts.mtimeNs, facts.size].map((number) => number.toString(16)).join('-')
      return { size: Number(facts.size), modifiedAt: Math.floor(Number(facts.mtimeMs)), tag }
    } finally {
      await handle?.close()
    }
  }

  async open(jobId: string, name: string, range?: ArtifactRange) {
    if (range !== undefined) assertRange(range)
    const handle = await this.#openFile(jobId, name)
    if (handle === undefined) return undefined
    if (range === undefined) return handle.createReadStream()
    if (range.first < (await handle.stat()).size)
      return handle.createReadStream({ start: range.first, end: range.last })
    await handle.close()
    throw behindTheEnd(range.first)
  }

  async #openFile(jobId: string, name: string) {
    assertArtifactName(jobId, name)
    const folder = await this.#folderOf(jobId)
    if (folder === undefined) return undefined
    // Without O_NONBLOCK opening a pipe in its place would block.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const handle = await orWhenMissing(open(join(folder, name), flags), undefined)
    if (handle === undefined || (await handle.stat()).isFile()) return handle
    await handle.close()
    return undefined
  }

  async withLocalFile<T>(jobId: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
    const handle = await this.#openFile(jobId, name)
    if (handle === undefined) throw new ArtifactMissing(jobId, name)
    await handle.close()
    return await work(join(this.#root, jobId, name))
  }

  async list(jobId: string): Promise<string[]> {
    assertJobId(jobId)
    const folder = await this.#folderOf(jobId)
    if (folder === undefined) return []
    const entries = await orWhenMissing(readdir(folder, { withFileTypes: true }), [])
    return entries
      .filter((entry) => entry.isFile() && isArtifactName(entry.name))
      .map((entry) => entry.name)
      .sort()
  }

  async removeOne(jobId: string, name: string): Promise<boolean> {
    assertArtifactName(jobId, name)
    const folder = await this.#folderOf(jobId)
    if (folder === undefined) return false
    const isRemoved = await orWhenMissing(
      unlink(join(folder, name)).then(() => true),
      false,
    )
    await removeWhenEmpty(folder)
    return isRemoved
  }

  /** All artifacts go at once; the disk is freed afterwards. */
  async removeJob(jobId: string): Promise<void> {
    assertJobId(jobId)
    const departing = join(this.#arrivals, randomUUID())
    await orWhenMissing(rename(join(this.#root, jobId), departing), undefined)
    await rm(departing, { recursive: true, force: true })
  }

  async *jobs(): AsyncGenerator<StoredJob> {
    for await (const entry of await opendir(this.#root)) {
      if (!entry.isDirectory() || !isJobId(entry.name)) continue
      const names = await this.list(entry.name)
      const found = await Promise.all(names.map(async (name) => ({ name, facts: await this.stat(entry.name, name) })))
      const files = found.flatMap(({ name, facts }) => (facts === undefined ? [] : [{ name, ...facts }]))
      const modifiedAt = Math.max(0, ...files.map((file) => file.modifiedAt))
      if (modifiedAt > 0) yield { jobId: entry.name, modifiedAt, files }
      else await removeWhenEmpty(join(this.#root, entry.name))
    }
  }

  async close(): Promise<void> {}
}

const linked = (jobId: string) => new Error(`the folder of job ${jobId} is a link`)

/** Prepares a file for storage: mode 0600, current modification time, flushed to the disk. */
async function settleFile(file: string): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new Error('only a plain file can become an artifact')
    await handle.chmod(0o600)
    // Tools set the time to the publication date of the media, which would be past its retention.
    const now = new Date()
    await handle.utimes(now, now)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeWhenEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw error
  })
}

/** Returns `missing` instead of an error for a missing file, or a link where a file should be. */
async function orWhenMissing<T, U>(work: Promise<T>, missing: U): Promise<T | U> {
  try {
    return await work
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO')) return missing
    throw error
  }
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '')
