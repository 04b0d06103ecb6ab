import { setImmediate as nextTurn } from 'node:timers/promises'
import { createKeyedQueue, writeFileAtomic, type Log } from '@hearth/runtime'
import type { ResolverClient } from '../dns/resolver-files.ts'

/** Dependencies of the clients file. */
export interface ClientsFileDependencies {
  /** `clients.json`. */
  readonly path: string
  readonly clients: () => Iterable<ResolverClient>
  /** Called before the clients are gathered; what it returns, once the file is in place. */
  readonly begin: () => () => void
  readonly log: Pick<Log, 'error'>
  /** Milliseconds from a change to the file; changes in between are written with it. */
  readonly delay?: number
}

const usualDelay = 1000
const delayAfterFailure = 5000
/** Clients turned into text before other work gets its turn. */
const clientsPerBatch = 1000

/** `clients.json`, which follows the clients: a start of the resolver uses it. */
export class ClientsFile {
  readonly #dependencies: ClientsFileDependencies
  readonly #queue = createKeyedQueue(10)
  #timer: NodeJS.Timeout | undefined
  #isBehind = false
  #isClosed = false

  constructor(dependencies: ClientsFileDependencies) {
    this.#dependencies = dependencies
  }

  /** Schedules a write of the file. */
  changed(): void {
    this.#isBehind = true
    this.#writeAfter(this.#dependencies.delay ?? usualDelay)
  }

  /** Writes what is not written yet. A failure is logged, and the next start of the service writes it. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#queue.run('file', () => this.#write())
  }

  #writeAfter(milliseconds: number): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#writeOnTime()
    }, milliseconds)
  }

  async #writeOnTime(): Promise<void> {
    await this.#queue.run('file', () => this.#write())
    if (this.#isBehind) this.#writeAfter(delayAfterFailure)
  }

  async #write(): Promise<void> {
    if (!this.#isBehind) return
    const { path, clients, begin, log } = this.#dependencies
    this.#isBehind = false
    const written = begin()
    try {
      await writeFileAtomic(path, await textOf(clients()))
      written()
    } catch (error) {
      this.#isBehind = true
      log.error({ err: error, file: path }, 'the clients of the resolver could not be written')
    }
  }
}

async function textOf(clients: Iterable<ResolverClient>): Promise<string> {
  const parts: string[] = []
  for (const client of clients) {
    parts.push(JSON.stringify(client))
    if (parts.length % clientsPerBatch === 0) await nextTurn()
  }
  return `[${parts.join(',')}]`
}
