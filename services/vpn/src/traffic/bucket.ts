/** Lengths of stored buckets, seconds: fine ones for recent traffic, coarse ones for old traffic. */
export const tiers = { fine: 300, hour: 3600, day: 86_400 } as const

/** Seconds of one of the stored buckets. */
export type Tier = (typeof tiers)[keyof typeof tiers]

/** Time for which fine and hourly buckets are kept, milliseconds; daily ones are kept as long as the setting says. */
export const keptFor = { fine: 30 * 86_400_000, hour: 366 * 86_400_000 } as const

/** Resolutions of the API, seconds; a week is seven stored days from an ISO Monday on. */
export const steps = { hourly: 3600, daily: 86_400, weekly: 604_800 } as const

/** 1970-01-05, the first Monday of the epoch, milliseconds: weeks are counted from here. */
const firstMonday = 4 * 86_400_000

/**
 * Returns where the bucket of so many seconds that holds a time begins, milliseconds since the epoch. Boundaries are those of UTC,
 * so a day has 24 hours always; weeks begin on Monday.
 */
export function bucketStart(at: number, seconds: number): number {
  const length = seconds * 1000
  const origin = seconds === steps.weekly ? firstMonday : 0
  return Math.floor((at - origin) / length) * length + origin
}

/** Bytes seen from the server, and milliseconds in which the peer was connected. */
export interface Amount {
  readonly rx: number
  readonly tx: number
  readonly activeMs: number
}

/** Traffic of a peer while it connected from one host. */
export interface FromHost {
  /** Address without port; empty when it is not known. */
  readonly host: string
  rx: number
  tx: number
}

/** Traffic of one peer in one fine bucket. */
export interface Bucket {
  readonly start: number
  rx: number
  tx: number
  activeMs: number
  readonly from: FromHost[]
}

/** Maximum number of hosts per peer in five minutes; traffic from further ones is counted without a host. */
const maxHosts = 16

export function emptyBucket(start: number): Bucket {
  return { start, rx: 0, tx: 0, activeMs: 0, from: [] }
}

/** Adds what was counted, under the host the peer connected from at that time. */
export function addToBucket(bucket: Bucket, amount: Amount, host: string): void {
  bucket.rx += amount.rx
  bucket.tx += amount.tx
  bucket.activeMs += amount.activeMs
  if (amount.rx === 0 && amount.tx === 0) return
  const isKnown = bucket.from.length < maxHosts || bucket.from.some((from) => from.host === host)
  const name = isKnown ? host : ''
  const known = bucket.from.find((from) => from.host === name)
  if (known === undefined) bucket.from.push({ host: name, rx: amount.rx, tx: amount.tx })
  else {
    known.rx += amount.rx
    known.tx += amount.tx
  }
}

/** The host of an endpoint as WireGuard writes it, `192.0.2.1:51820` or `[2001:db8::1]:51820`. */
export function hostOfEndpoint(endpoint: string | null): string {
  return endpoint === null ? '' : endpoint.slice(0, Math.max(0, endpoint.lastIndexOf(':'))).replaceAll(/^\[|\]$/g, '')
}
