import dns, { type LookupOptions } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Loaded into services of tests before anything else: names below `localhost` are this machine, as they are to browsers. Not every
 * system's resolver knows them.
 */
const { lookup } = dns.promises
const loopback = { address: '127.0.0.1', family: 4 }

dns.promises.lookup = ((host: string, options: LookupOptions) => {
  if (!host.endsWith('.localhost')) return lookup(host, options)
  return Promise.resolve(options.all === true ? [loopback] : loopback)
}) as typeof lookup

syncBuiltinESMExports()
