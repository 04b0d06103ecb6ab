import { stat } from 'node:fs/promises'
import type { Timers } from '@hearth/runtime'
import { createLineSplitter, type LineSplitter } from './line-splitter.ts'
import { headLength, headOf, type LogPosition, type LogSource, openLogSource, rolledFiles } from './log-source.ts'

export interface LogTailDependencies {
  readonly path: string
  /** Position where an earlier reader stopped; undefined to begin with the current file. */
  readonly position: LogPosition | undefined
  /**
   * Takes lines and the position after them. A receiver that stores both in one transaction counts no line twice and loses
   * none.
   */
  readonly onLines: (lines: readonly string[], position: LogPosition) => void
  /** Called for lost lines: too long to read, or in a replaced or damaged file. */
  readonly onLoss: (what: 'too-long' | 'replaced' | 'damaged', count: number) => void
  /** Called for files that cannot be read; the next check retries. */
  readonly onError: (error: unknown) => void
  /** Called after every chunk; reading pauses while it returns false. */
  readonly mayRead?: () => boolean
  readonly timers: Timers
  readonly pollMs?: number
  /** Bytes of the longest line that is read. */
  readonly maxLine?: number
}

/**
 * Follows a log that another program writes and rolls. Keeps at most one chunk and one line in memory, however much it has to
 * catch up.
 */
export class LogTail {
  readonly #dependencies: LogTailDependencies
  readonly #maxLine: number
  #rolledAfter: string | undefined
  #source: LogSource | undefined
  #splitter: LineSplitter
  #read = 0
  #beginning: Uint8Array = new Uint8Array()
  /** Position that was given and not yet compared with its file. */
  #resume: LogPosition | undefined
  #polling: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: LogTailDependencies) {
    this.#dependencies = dependencies
    this.#maxLine = dependencies.maxLine ?? 262_144
    this.#splitter = createLineSplitter(this.#maxLine)
    this.#resume = dependencies.position
    this.#rolledAfter = dependencies.position?.rolledAfter
  }

  /** Starts to check for new lines periodically. */
  start(): void {
    const { timers, pollMs = 250, onError } = this.#dependencies
    const round = async () => {
      await this.poll().catch(onError)
      if (!this.#isClosed) this.#cancel = timers.after(pollMs, () => void round())
    }
    void round()
  }

  /** Reads what is there now. One read at a time. */
  poll(): Promise<void> {
    const mine = this.#polling.then(() => this.#readAll())
    this.#polling = mine.catch(() => undefined)
    return mine
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#polling
    await this.#source?.close()
    this.#source = undefined
  }

  async #readAll(): Promise<void> {
    while (this.#goesOn()) {
      this.#source ??= await this.#openNext()
      if (this.#source === undefined) return
      await this.#checkLength(this.#source)
      await this.#readOn(this.#source)
      if (!this.#goesOn() || (await this.#isStillWritten(this.#source))) return
      // What was written between the last reading and the rolling; nobody writes to a packed file.
      if (this.#source.inode !== undefined) await this.#readOn(this.#source)
      if (!this.#goesOn() || !(await this.#finishFile())) return
    }
  }

  async #readOn(source: LogSource): Promise<void> {
    try {
      await source.read(this.#read, (bytes) => this.#take(bytes))
    } catch (error) {
      // A packed file that is damaged stays so; what follows it can be read.
      if (source.inode !== undefined) throw error
      this.#dependencies.onLoss('damaged', 1)
    }
  }

  async #take(bytes: Uint8Array): Promise<boolean> {
    const known = this.#beginning.length
    if (known < headLength && this.#read <= known)
      this.#beginning = Buffer.concat([this.#beginning, bytes.subarray(known - this.#read)]).subarray(0, headLength)
    const tooLong = this.#splitter.tooLong
    const lines = this.#splitter.push(bytes)
    this.#read += bytes.length
    if (this.#splitter.tooLong > tooLong) this.#dependencies.onLoss('too-long', this.#splitter.tooLong - tooLong)
    if (lines.length > 0) this.#dependencies.onLines(lines, this.#position())
    // Yields to other work, however long the log.
    await new Promise((resolve) => setImmediate(resolve))
    return this.#goesOn()
  }

  #goesOn(): boolean {
    return !this.#isClosed && this.#dependencies.mayRead?.() !== false
  }

  #position(): LogPosition {
    const offset = this.#read - this.#splitter.unfinished
    return { rolledAfter: this.#rolledAfter ?? '', offset, head: headOf(this.#beginning, offset) }
  }

  /**
   * The file after the last one that was read to its end. The current file is opened before the rolled ones are listed: when
   * none of them is newer then, it was not rolled in between and is the next.
   */
  async #openNext(): Promise<LogSource | undefined> {
    const { path } = this.#dependencies
    if (this.#rolledAfter === undefined) {
      this.#rolledAfter = (await rolledFiles(path)).at(-1)?.stamp ?? ''
      // From here on nothing is missed, though nothing was read yet.
      this.#dependencies.onLines([], this.#position())
    }
    const current = await openLogSource(path, false)
    const next = (await rolledFiles(path)).find(({ stamp }) => stamp > (this.#rolledAfter ?? ''))
    if (next === undefined) return current === undefined ? undefined : this.#begin(current)
    await current?.close()
    const source = await openLogSource(next.path, next.isPacked)
    // It was packed or removed since it was listed.
    return source === undefined ? this.#openNext() : this.#begin(source)
  }

  async #begin(source: LogSource): Promise<LogSource> {
    const resume = this.#resume
    this.#resume = undefined
    this.#splitter = createLineSplitter(this.#maxLine)
    this.#beginning = await source.head().catch(() => new Uint8Array())
    const isSame = resume !== undefined && headOf(this.#beginning, resume.offset) === resume.head
    if (resume !== undefined && !isSame) this.#dependencies.onLoss('replaced', 1)
    this.#read = isSame ? resume.offset : 0
    return source
  }

  /** The file may be truncated and written again. */
  async #checkLength(source: LogSource): Promise<void> {
    const size = await source.size()
    if (size === undefined || size >= this.#read) return
    this.#dependencies.onLoss('replaced', 1)
    this.#read = 0
    this.#beginning = new Uint8Array()
    this.#splitter = createLineSplitter(this.#maxLine)
  }

  async #isStillWritten({ inode }: LogSource): Promise<boolean> {
    if (inode === undefined) return false
    const current = await stat(this.#dependencies.path, { bigint: true }).catch(() => undefined)
    return current?.ino === inode
  }

  /** Goes on behind the file that was read; false when it was not rolled but is gone, and nothing is in its place yet. */
  async #finishFile(): Promise<boolean> {
    const rolled = await rolledFiles(this.#dependencies.path)
    const mine = rolled.find(({ stamp }) => stamp > (this.#rolledAfter ?? ''))
    const isThere = (await stat(this.#dependencies.path).catch(() => undefined)) !== undefined
    if (mine === undefined && !isThere) return false
    if (mine !== undefined) this.#rolledAfter = mine.stamp
    await this.#source?.close()
    this.#source = undefined
    return true
  }
}
