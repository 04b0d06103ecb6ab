import type { DnsZone } from '../../api.ts'

/** Values of the zone form. */
export interface ZoneValues extends Record<string, unknown> {
  zone: string
  /** One per line. */
  servers: string
}

/** The form for a new zone, or for one that exists. */
export function zoneValues({ zone = '', servers = [] }: Partial<DnsZone> = {}): ZoneValues {
  return { zone, servers: servers.join('\n') }
}

/** The zone as the API wants it. */
export function toZone({ zone, servers }: ZoneValues) {
  return { zone: zone.trim(), servers: serversIn(servers) }
}

/** The servers in a text: between line breaks, blanks and commas, which none of them holds. */
export const serversIn = (text: string): string[] => text.split(/[\s,]+/).filter((server) => server !== '')
