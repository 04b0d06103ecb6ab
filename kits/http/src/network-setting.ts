import { commaList, settingKind } from '@hearth/runtime'
import { createAddressSet } from './address-set.ts'

/** A setting that lists addresses and networks; empty when it is not set. */
export const networkList = commaList
  .refine((entries) => {
    try {
      createAddressSet(entries)
      return true
    } catch {
      return false
    }
  }, 'must be a comma-separated list of IP addresses and CIDR networks')
  .meta(settingKind('network list'))
  .default([])
