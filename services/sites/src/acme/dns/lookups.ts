import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** What a name server shows of a record. */
export interface ServerView {
  /** Name of the server. */
  readonly server: string
  readonly state: 'shown' | 'missing' | 'silent'
}

/** A question that no resolver answered. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

/** Looks up what proofs by DNS need. Every call throws `LookupFailed` when the resolvers do not answer. */
export type Lookups = ReturnType<typeof createLookups>

/** Milliseconds for one try of a question, and tries. */
const timeout = 3000
const tries = 2
/** Most aliases that are followed, and most servers of a zone that are asked. */
const maxAliases = 8
const maxServers = 8

/** Codes by which resolvers say that there is no such record. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** @param resolvers addresses with or without port; those of the system when there is none */
export function createLookups(resolvers: readonly string[]) {
  const ask = async <T>(name: string, question: (resolver: Resolver) => Promise<T>): Promise<T | undefined> => {
    try {
      return await question(createResolver(resolvers))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (absent.has(code)) return undefined
      throw new LookupFailed(`No resolver says anything about ${name} (${code})`)
    }
  }
  const zoneOf = async (name: string): Promise<string | undefined> => {
    for (const zone of namesAbove(name)) {
      const soa = await ask(zone, (resolver) => resolver.resolveSoa(zone))
      if (soa !== undefined) return zone
    }
    return undefined
  }
  return {
    /** Follows aliases (CNAME) from a name to the name that holds its records. */
    async follow(name: string): Promise<string> {
      let now = name
      for (let left = maxAliases; left > 0; left -= 1) {
        const alias = await ask(now, (resolver) => resolver.resolveCname(now))
        const next = alias?.[0]?.toLowerCase().replace(/\.$/, '')
        if (next === undefined) return now
        now = next
      }
      throw new LookupFailed(`${name} leads through more than ${maxAliases} aliases`)
    },
    /** The zone that holds a name: the nearest name above it with a start of authority; undefined without one. */
    zoneOf,
    /** Asks each authoritative server of the zone of a name for a TXT record. */
    async authorities(name: string, value: string): Promise<ServerView[]> {
      const zone = await zoneOf(name)
      const servers = zone === undefined ? undefined : await ask(zone, (resolver) => resolver.resolveNs(zone))
      if (servers === undefined || servers.length === 0)
        throw new LookupFailed(`The zone of ${name} has no name servers`)
      const views = servers.slice(0, maxServers).map(async (server): Promise<ServerView> => {
        const addresses = await addressesOf(server, ask).catch(() => [])
        return { server, state: await stateAt(addresses, name, value) }
      })
      return Promise.all(views)
    },
  }
}

function createResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout, tries })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

type Ask = <T>(name: string, question: (resolver: Resolver) => Promise<T>) => Promise<T | undefined>

async function addressesOf(server: string, ask: Ask): Promise<string[]> {
  const four = await ask(server, (resolver) => resolver.resolve4(server))
  const six = four === undefined ? await ask(server, (resolver) => resolver.resolve6(server)) : undefined
  return (four ?? six ?? []).filter((address) => isIP(address) !== 0).slice(0, 2)
}

async function stateAt(addresses: readonly string[], name: string, value: string): Promise<ServerView['state']> {
  if (addresses.length === 0) return 'silent'
  try {
    const records = await createResolver(addresses).resolveTxt(name)
    return records.some((parts) => parts.join('') === value) ? 'shown' : 'missing'
  } catch (error) {
    return absent.has((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'silent'
  }
}

/** A name and those above it, top-level names left out. */
function namesAbove(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
