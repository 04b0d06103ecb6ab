import type { ClientsChange } from './messages.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'

/**
 * Changes of clients that `clients.json` may not hold yet, each client as it is now. A resolver that is started reads the file
 * and is then notified of these, in whichever state the file is: each holds all of its client, so nothing is lost by sending it twice.
 */
export class UnwrittenClients {
  readonly #clients = new Map<number, { readonly client: ResolverClient | null; readonly since: number }>()
  #count = 0

  note({ set, removed }: ClientsChange): void {
    this.#count += 1
    for (const number of removed) this.#clients.set(number, { client: null, since: this.#count })
    for (const client of set) this.#clients.set(client.number, { client, since: this.#count })
  }

  /** All of them as one change; undefined when there are none. */
  change(): ClientsChange | undefined {
    if (this.#clients.size === 0) return undefined
    const set: ResolverClient[] = []
    const removed: number[] = []
    for (const [number, { client }] of this.#clients) {
      if (client === null) removed.push(number)
      else set.push(client)
    }
    return { set, removed }
  }

  /** To be called before the file's content is gathered; the returned function once the file is in place. */
  begin(): () => void {
    const until = this.#count
    return () => {
      for (const [number, { since }] of this.#clients) if (since <= until) this.#clients.delete(number)
    }
  }
}
