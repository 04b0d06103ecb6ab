import { Type } from '../wire/codes.ts'
import { wireName } from '../wire/wire-name.ts'
import { hashDomain } from './domain-hash.ts'
import type { NameSeeds } from './name-hash.ts'
import type { OwnerEntry } from './record-layout.ts'
import { moderateYoutube, safeSearchNames, strictYoutube, type SafeName } from './safe-search.data.ts'

/** What a profile has search engines and YouTube leave out; bits. */
export const Safety = { search: 1, moderateYoutube: 2, strictYoutube: 4 } as const

/** The names of each bit of `Safety`, in the order of the bits. */
const namesOfBits: readonly (readonly SafeName[])[] = [safeSearchNames, [moderateYoutube], [strictYoutube]]

/** The number of bits. */
export const safetyBits = namesOfBits.length

/** Seconds that a device may remember an alias: one that leaves the profile soon finds the name itself. */
const ttl = 60

/** The aliases of all names, for a table of names hashed with these seeds; their kinds begin at `firstKind`, one for each bit. */
export const safeEntries = (seeds: NameSeeds, firstKind: number): OwnerEntry[] =>
  namesOfBits.flatMap((groups, bit) =>
    groups.flatMap(({ target, names }) => {
      const data = wireName(target)
      if (data === undefined) return []
      const records = [{ type: Type.cname, ttl, data }]
      return names.flatMap((name): OwnerEntry[] => {
        const lanes = hashDomain(name, seeds)
        return lanes === undefined ? [] : [{ ...lanes, kind: firstKind + bit, records }]
      })
    }),
  )
