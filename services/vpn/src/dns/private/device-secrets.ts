import { hash } from 'node:crypto'
import type { ResolverPrivateDns } from '../resolver-files.ts'

/** 160 bits in base32, small letters: a label of a host name, or a part of a path. */
const form = /^[a-z2-7]{32}$/
const pathStart = '/dns-query/'

/**
 * The secrets of devices by their hashes. A name or path without a secret, with a wrong one, and with that of a peer that may not
 * query take the same steps and have the same result.
 */
export class DeviceSecrets {
  #ending = ''
  #numbers: ReadonlyMap<string, number> = new Map()
  readonly #mayQuery: (client: number) => boolean

  constructor(mayQuery: (client: number) => boolean) {
    this.#mayQuery = mayQuery
  }

  use({ name, clients }: ResolverPrivateDns): void {
    this.#ending = `.${name ?? ''}`
    this.#numbers = new Map(clients.map((client) => [client.hash, client.number]))
  }

  /** The hash of the secret in the host name that a TLS client asks for. */
  ofHostName(name: string | false | null): string {
    const text = typeof name === 'string' ? name.toLowerCase() : ''
    return hashOf(text.endsWith(this.#ending) ? text.slice(0, -this.#ending.length) : '')
  }

  /** The hash of the secret in the path of a request. */
  ofPath(path: string): string {
    return hashOf(path.startsWith(pathStart) ? path.slice(pathStart.length).toLowerCase() : '')
  }

  /** The number of the client with this secret; 0 when nobody may query with it, or not now. */
  clientOf(hashed: string): number {
    const number = this.#numbers.get(hashed) ?? 0
    return this.#mayQuery(number) ? number : 0
  }
}

const hashOf = (text: string): string => hash('sha256', form.test(text) ? text : '-', 'hex')
