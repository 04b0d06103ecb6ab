import { isIP } from 'node:net'

/** The name a probe asks for: under a wildcard, any name will do. */
export const probeName = (host: string): string => (host.startsWith('*.') ? `hearth-check${host.slice(1)}` : host)

/** What goes into the server name indication; an address may not. */
export const serverNameOf = (host: string): string => (isIP(host) === 0 ? probeName(host) : '')
