import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { writeFileAtomic } from '@hearth/runtime/atomic-file'
import { Shared } from '../dns/loops/shared-state.ts'
import type { DataThreadHost } from './data-thread-host.ts'

/** Name and version of the format. */
const magic = Buffer.from('HDNSC001', 'latin1')
const headerBytes = magic.length + 32
/** Most bytes of answers in a file: about 50,000. */
const maxBytes = 16 << 20
/** A crash loses the answers since the last write, at most of this time. */
const writeEveryMs = 3 * 3_600_000
const patienceMs = 60_000
/** Time that a stop waits for the answers. */
const lastPatienceMs = 1500

/** Dependencies of the cache's file. */
export interface CacheFileDependencies {
  /** `cache.bin`. */
  readonly path: string
  readonly data: Pick<DataThreadHost, 'update' | 'state'>
  /** Called with a warning for the operator. */
  readonly warn: (message: string) => void
  /** Milliseconds between two writes; for tests. */
  readonly everyMs?: number
}

/**
 * The answers in the cache, kept over a restart: written on a clean stop and now and then, taken in after a start, while it
 * answers. The file holds names that devices looked up, without the devices.
 */
export class CacheFile {
  readonly #dependencies: CacheFileDependencies
  #isKept: boolean
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(dependencies: CacheFileDependencies, isKept: boolean) {
    this.#dependencies = dependencies
    this.#isKept = isKept
  }

  /** Hands the answers of the file to the data thread. A file that is damaged, or another's, is ignored with a warning. */
  open(): Promise<void> {
    this.#timer = setInterval(
      () => void this.#withLock(() => this.#write(false)),
      this.#dependencies.everyMs ?? writeEveryMs,
    )
    this.#timer.unref()
    return this.#withLock(() => (this.#isKept ? this.#read() : this.#remove()))
  }

  /** Whether answers are kept from now on; without that there is no file. */
  use(isKept: boolean): Promise<void> {
    if (isKept === this.#isKept) return Promise.resolve()
    this.#isKept = isKept
    return isKept ? Promise.resolve() : this.#withLock(() => this.#remove())
  }

  /** Deletes the file: the cache was emptied. */
  clear(): Promise<void> {
    return this.#withLock(() => this.#remove())
  }

  /** Writes the file for the last time; the data thread answers no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#withLock(() => this.#write(true))
  }

  #remove(): Promise<void> {
    return rm(this.#dependencies.path, { force: true })
  }

  async #read(): Promise<void> {
    const { path, data, warn } = this.#dependencies
    try {
      const answers = answersIn(await readFile(path))
      if (answers.length === 0) return
      const memory = new SharedArrayBuffer(answers.length)
      new Uint8Array(memory).set(answers)
      data.update({ cacheTransfer: { way: 'in', memory } })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        warn(`the kept cache is ignored: ${(error as Error).message}`)
    }
  }

  async #write(isLast: boolean): Promise<void> {
    const { path, data, warn } = this.#dependencies
    if (!this.#isKept) return
    const { words } = data.state
    const memory = new SharedArrayBuffer(maxBytes)
    Atomics.store(words, Shared.cacheBytes, 0)
    data.update({ cacheTransfer: { way: 'out', memory, isLast } })
    const deadline = performance.now() + (isLast ? lastPatienceMs : patienceMs)
    while (Atomics.load(words, Shared.cacheBytes) === 0) {
      // The thread hangs or was replaced: the file stays as it is.
      if (performance.now() > deadline) return
      await Atomics.waitAsync(words, Shared.cacheBytes, 0, 200).value
    }
    const answers = new Uint8Array(memory).slice(0, Atomics.load(words, Shared.cacheBytes) - 1)
    // Switched off meanwhile.
    if (!this.#isKept) return
    try {
      await writeFileAtomic(path, Buffer.concat([magic, digestOf(answers), answers]))
    } catch (error) {
      warn(`the cache could not be kept: ${(error as Error).message}`)
    }
  }

  /** One after another. */
  #withLock(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** The answers in the content of a file. Throws when it is none, or not what was written. */
function answersIn(content: Buffer): Uint8Array {
  if (content.length > headerBytes + maxBytes) throw new Error('the file is too long')
  if (!content.subarray(0, magic.length).equals(magic)) throw new Error('the file has another format')
  const answers = content.subarray(headerBytes)
  if (!content.subarray(magic.length, headerBytes).equals(digestOf(answers))) throw new Error('the file is damaged')
  return answers
}
