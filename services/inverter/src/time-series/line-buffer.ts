import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, writeFileAtomic } from '@hearth/runtime'

/** Size from which on lines go into another file, bytes: a file is what one request takes. */
const fileBytes = 256 * 1024

/** Files have a name of twelve digits, so that their order is that of their names. */
const namePattern = /^(\d{12})\.lp$/

interface BufferFile {
  readonly number: number
  bytes: number
  /** True when lines may be added: no request has it. */
  isOpen: boolean
}

/** Lines that one request takes. */
export interface Batch {
  readonly number: number
  readonly lines: readonly string[]
}

/**
 * Lines on their way to a server, in files, oldest first. Lines are on the disk before `add` returns. A crash leaves at most a
 * last line without its end, which counts as not written. When the buffer is full its oldest file goes.
 */
export class LineBuffer {
  readonly #folder: string
  readonly #maxBytes: number
  #files: BufferFile[]
  /** One piece of work at a time: a line that is added to a file that was just read would be lost with it. */
  readonly #queue = createKeyedQueue(1000)
  /** Number of the file that a request has. */
  #taken: number | undefined
  #next: number

  private constructor(folder: string, maxBytes: number, files: BufferFile[]) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#files = files
    this.#next = (files.at(-1)?.number ?? 0) + 1
  }

  static async open(folder: string, maxBytes: number): Promise<LineBuffer> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const files: BufferFile[] = []
    for (const name of await readdir(folder)) {
      const number = Number(namePattern.exec(name)?.[1])
      if (Number.isNaN(number)) await rm(join(folder, name), { force: true, recursive: true })
      else files.push({ number, bytes: (await stat(join(folder, name))).size, isOpen: false })
    }
    return new LineBuffer(
      folder,
      maxBytes,
      files.sort((a, b) => a.number - b.number),
    )
  }

  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Adds lines at the end. Returns how many older ones had to go. */
  add(lines: readonly string[]): Promise<number> {
    return this.#withLock(() => this.#add(lines))
  }

  /** Returns the oldest lines, to which none are added from then on; undefined when there are none. */
  take(): Promise<Batch | undefined> {
    return this.#withLock(() => this.#take())
  }

  /** Removes lines that were taken. */
  remove(number: number): Promise<void> {
    return this.#withLock(() => this.#remove(number))
  }

  /** Gives lines back that were not written; they are the first again. */
  release(): void {
    this.#taken = undefined
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async #add(lines: readonly string[]): Promise<number> {
    const text = lines.map((line) => `${line}\n`).join('')
    const bytes = Buffer.byteLength(text)
    const last = this.#files.at(-1)
    if (last?.isOpen === true && last.bytes + bytes <= fileBytes) {
      await using file = await open(this.#path(last.number), 'a', 0o600)
      await file.writeFile(text)
      await file.datasync()
      last.bytes += bytes
    } else {
      const number = this.#next
      this.#next += 1
      await writeFileAtomic(this.#path(number), text)
      this.#files.push({ number, bytes, isOpen: true })
    }
    return this.#makeRoom()
  }

  async #take(): Promise<Batch | undefined> {
    for (;;) {
      const oldest = this.#files[0]
      if (oldest === undefined) return undefined
      oldest.isOpen = false
      this.#taken = oldest.number
      const lines = completeLines(await readFile(this.#path(oldest.number), 'utf8'))
      if (lines.length > 0) return { number: oldest.number, lines }
      await this.#remove(oldest.number)
    }
  }

  async #remove(number: number): Promise<void> {
    await rm(this.#path(number), { force: true })
    this.#files = this.#files.filter((file) => file.number !== number)
    if (this.#taken === number) this.#taken = undefined
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('buffer', work)
  }

  /** Removes the oldest files while there is too much, but none that a request has, and never the only one. */
  async #makeRoom(): Promise<number> {
    let lost = 0
    while (this.bytes > this.#maxBytes && this.#files.length > 1) {
      const oldest = this.#files.slice(0, -1).find(({ number }) => number !== this.#taken)
      if (oldest === undefined) break
      lost += completeLines(await readFile(this.#path(oldest.number), 'utf8')).length
      await this.#remove(oldest.number)
    }
    return lost
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(12, '0')}.lp`)
  }
}

/** Lines with an end; a crash may have cut the last one. */
const completeLines = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
