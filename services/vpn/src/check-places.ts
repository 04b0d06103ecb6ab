import { checkFile } from '@hearth/runtime'
import type { Config } from './config.ts'

/**
 * Checks the files that the settings name before anything is written. Throws an `OperatorError` that names the wrong one. A
 * database of places may come later, so a missing one is no error.
 */
export function checkPlaces({ geoDatabases }: Config): void {
  const { country, asn } = geoDatabases
  if (country !== undefined) checkFile('GEOIP_COUNTRY_DB', country, { mayBeMissing: true })
  if (asn !== undefined) checkFile('GEOIP_ASN_DB', asn, { mayBeMissing: true })
}
