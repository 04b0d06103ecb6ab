import type { DnsFile } from '../../nodes/dns/manifest.ts'
import { linkPaths } from '../../nodes/link-schema.ts'
import type { ControlLink } from '../control-link.ts'

interface Running {
  /** Resolves when the file is there; rejects with the reason why it is not. */
  readonly done: Promise<void>
  readonly end: AbortController
}

/** Files that are being fetched from the service. One goes on when nobody waits for it any more, until `keep` or `close`. */
export class FileDownloads {
  readonly #link: Pick<ControlLink, 'download'>
  /** By path. */
  readonly #running = new Map<string, Running>()

  constructor(link: Pick<ControlLink, 'download'>) {
    this.#link = link
  }

  /** Waits until a file is at a path, and begins to fetch it unless that is under way. Rejects when the signal aborts the wait. */
  async fetch(file: DnsFile, path: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await Promise.race([(this.#running.get(path) ?? this.#begin(file, path)).done, aborted])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends the downloads to all paths but these. */
  async keep(paths: ReadonlySet<string>): Promise<void> {
    const others = [...this.#running].flatMap(([path, running]) => (paths.has(path) ? [] : [running]))
    for (const { end } of others) end.abort()
    await Promise.allSettled(others.map(({ done }) => done))
  }

  /** Ends them all. */
  close(): Promise<void> {
    return this.keep(new Set())
  }

  #begin({ sha256, size }: DnsFile, path: string): Running {
    const end = new AbortController()
    const done = this.#link
      .download(`${linkPaths.dnsFiles}${sha256}`, path, { sha256, size, signal: end.signal })
      .finally(() => this.#running.delete(path))
    // Nobody may wait for it any more.
    done.catch(() => undefined)
    const running = { done, end }
    this.#running.set(path, running)
    return running
  }
}
