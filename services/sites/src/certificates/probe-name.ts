import { isIP } from 'node:net'

/** The name a probe asks for: under a wildcard, any name will do. */
export const probeName = (host: string): string => (host.startsWith('*.') ? `hearth-check${host.slice(1)}` : host)

/** Returns the server name indication for a host; empty for an address. */
export const serverNameOf = (host: string): string => (isIP(host) === 0 ? probeName(host) : '')
