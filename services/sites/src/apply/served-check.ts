import { request } from 'node:http'
import type { DesiredSite } from './desired-sites.ts'

/** Where a node answers plain HTTP, as the service reaches it. */
export interface ServedPlace {
  readonly host: string
  readonly httpPort: number
}

/** Sites that are asked after a change, at most: one load serves thousands as well as one. */
const mostAsked = 8
const limitMs = 3000

/**
 * Looks whether a node answers, and whether changed sites are its sites: it asks for the head of each one's first page. What a
 * site answers is its own matter, and one that takes long is none of ours. Returns what is wrong.
 */
export async function checkServed(
  { host, httpPort }: ServedPlace,
  sites: readonly DesiredSite[],
): Promise<string | undefined> {
  const names = sites.slice(0, mostAsked).map(({ record }) => record.domains[0] ?? '')
  // A wildcard is asked for as one of the names below it.
  const hosts = names.length === 0 ? ['check.invalid'] : names.map((name) => name.replace(/^\*\./, 'check.'))
  const answers = await Promise.all(hosts.map((name) => askHead({ host, httpPort }, name)))
  const index = answers.findIndex((answer) => answer !== undefined)
  return index === -1 ? undefined : `${hosts[index]} is not served: ${answers[index]}`
}

/** Why nothing was answered; undefined for any answer, and for one that only takes long. */
function askHead({ host, httpPort }: ServedPlace, name: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const headers = { host: name.includes(':') ? `[${name}]` : name, 'user-agent': 'Hearth check' }
  const outgoing = request({ host, port: httpPort, method: 'HEAD', path: '/', headers, agent: false, timeout: limitMs })
  outgoing.on('response', (incoming) => {
    incoming.resume()
    resolve(undefined)
  })
  outgoing.on('timeout', () => {
    resolve(undefined)
    outgoing.destroy()
  })
  outgoing.on('error', (error) => {
    const code = (error as NodeJS.ErrnoException).code ?? error.message
    // A closed connection is an answer too: strangers, and requests a site blocks, may get it.
    resolve(
      code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' ? `nobody listens at port ${httpPort} (${code})` : undefined,
    )
  })
  outgoing.end()
  return promise
}
