import { commaList } from '@hearth/runtime'
import { createAddressSet } from './address-set.ts'

/** A setting that lists addresses and networks, refused with the name of its variable when one is neither. */
export const networkList = commaList.refine(
  (entries) => {
    try {
      createAddressSet(entries)
      return true
    } catch {
      return false
    }
  },
  { error: 'must be a comma-separated list of IP addresses and CIDR networks' },
)
