import { type Name, isWithin } from '../wire/name.ts'
import { wireName } from '../wire/wire-name.ts'
import { localZones } from './local-zones.data.ts'

const zones: readonly Uint8Array[] = localZones.map(({ domain }) => wireName(domain)!)
const topLabels = new Set(localZones.map(({ domain }) => domain.slice(domain.lastIndexOf('.') + 1)))
/** For the length of a last label and its first letter: whether a zone may end in it. Most names are settled by that. */
const mayEndZone = new Uint8Array(64 * 256)
for (const label of topLabels) mayEndZone[label.length * 256 + label.charCodeAt(0)] = 1

/** No zone. */
export const noZone = -1

/**
 * Index in `localZones` of the zone that the name belongs to; `noZone` when an upstream may be queried for it: it is in no such
 * zone, or within one of the domains `forwarded` (wire form).
 */
export function localZoneOf(name: Name, forwarded: readonly Uint8Array[]): number {
  if (name.count === 0) return noZone
  const last = name.labels[name.count - 1]!
  if (mayEndZone[name.bytes[last]! * 256 + name.bytes[last + 1]!] === 0) return noZone
  for (let k = 0; k < zones.length; k++) {
    if (isWithin(name, zones[k]!)) return isForwarded(name, forwarded) ? noZone : k
  }
  return noZone
}

/** Returns true if a domain in text form belongs to a local zone. */
export const isInLocalZone = (domain: string): boolean =>
  localZones.some((zone) => domain === zone.domain || domain.endsWith(`.${zone.domain}`))

/** Returns where the zone's own name starts in a name that belongs to it. */
export const zoneStart = (name: Name, zone: number): number => name.length - zones[zone]!.length

function isForwarded(name: Name, forwarded: readonly Uint8Array[]): boolean {
  for (let k = 0; k < forwarded.length; k++) if (isWithin(name, forwarded[k]!)) return true
  return false
}
