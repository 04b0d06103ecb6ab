import { isWildcard } from '../sites/domains.ts'
import type { CompiledSite } from './desired-state.ts'

/** Hosts a bucket should hold: enough that few buckets are tried one after the other, few enough that a bucket is short. */
const hostsPerBucket = 120

/** One site in a bucket, with its domains in that bucket. */
export interface BucketEntry {
  readonly site: CompiledSite
  readonly hosts: readonly string[]
}

/** Sites whose hosts are matched together. */
export interface Bucket {
  /** Stays the same while the number of buckets does. */
  readonly name: string
  readonly entries: readonly BucketEntry[]
}

/**
 * Puts sites into buckets: exact names first, wildcards after them, so that `*.example.org` never takes `www.example.org` from
 * another site. A site's bucket depends on its id and on how many buckets there are; one more bucket moves the sites of one
 * other. All exact names of a site are in one bucket.
 */
export function bucketsOf(sites: readonly CompiledSite[]): Bucket[] {
  const split = (wants: (domain: string) => boolean) =>
    sites.map((site) => ({ site, hosts: site.record.domains.filter(wants) })).filter(({ hosts }) => hosts.length > 0)
  return [
    ...distribute(
      split((domain) => !isWildcard(domain)),
      'bucket',
    ),
    ...distribute(split(isWildcard), 'wildcards'),
  ]
}

function distribute(entries: readonly BucketEntry[], name: string): Bucket[] {
  const hosts = entries.reduce((sum, entry) => sum + entry.hosts.length, 0)
  const count = Math.max(1, Math.ceil(hosts / hostsPerBucket))
  const buckets: BucketEntry[][] = Array.from({ length: count }, () => [])
  for (const entry of entries) buckets[numberOf(entry.site.id, count)]?.push(entry)
  return buckets.flatMap((bucket, index) =>
    bucket.length === 0
      ? []
      : [{ name: `${name}-${index}`, entries: bucket.sort((one, other) => one.site.id - other.site.id) }],
  )
}

/** Linear hashing: with one bucket more only the sites of one bucket are divided anew. */
function numberOf(id: number, count: number): number {
  const hash = mix(id)
  const upper = 2 ** Math.ceil(Math.log2(count))
  const number = hash % upper
  return number < count ? number : hash % (upper / 2)
}

/** Spreads ids that follow one another over all 32 bits. */
function mix(id: number): number {
  let hash = id | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35)
  return (hash ^ (hash >>> 16)) >>> 0
}
