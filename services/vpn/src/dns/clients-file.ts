import { setImmediate as nextTurn } from 'node:timers/promises'
import { createKeyedQueue, writeFileAtomic, type Log } from '@hearth/runtime'
import type { ResolverClient } from './process/resolver-files.ts'

/** What the file is written with. */
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

/** `clients.json`, which follows the clients: a start of the resolver goes by it. */
export interface ClientsFile {
  /** Has the file written, a while later. */
  changed(): void
  /** Writes what is not written yet. A failure is logged, and the next start of the service writes it. */
  close(): Promise<void>
}

const usualDelay = 1000
const delayAfterFailure = 5000
/** Clients turned into text before other work gets its turn. */
const clientsPerTurn = 1000

export function createClientsFile(dependencies: ClientsFileDependencies): ClientsFile {
  const { path, clients, begin, log, delay = usualDelay } = dependencies
  const queue = createKeyedQueue(10)
  let timer: NodeJS.Timeout | undefined
  let isBehind = false
  let isClosed = false

  async function write(): Promise<void> {
    if (!isBehind) return
    isBehind = false
    const written = begin()
    try {
      await writeFileAtomic(path, await textOf(clients()))
      written()
    } catch (error) {
      isBehind = true
      log.error({ err: error, file: path }, 'the clients of the resolver could not be written')
    }
  }

  function writeAfter(milliseconds: number): void {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = undefined
      void queue.run('file', write).then(() => {
        if (isBehind) writeAfter(delayAfterFailure)
      })
    }, milliseconds)
  }

  return {
    changed() {
      isBehind = true
      writeAfter(delay)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await queue.run('file', write)
    },
  }
}

async function textOf(clients: Iterable<ResolverClient>): Promise<string> {
  const parts: string[] = []
  for (const client of clients) {
    parts.push(JSON.stringify(client))
    if (parts.length % clientsPerTurn === 0) await nextTurn()
  }
  return `[${parts.join(',')}]`
}
