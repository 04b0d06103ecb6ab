import { join } from 'node:path'

/**
 * Folder of a package of Debian's unstable suite that set-up of the checks has unpacked, as if it were `/`. There is none where
 * the package could not be had.
 */
export function unpackedPackage(name: string): string {
  return join(import.meta.dirname, '../../../node_modules/.cache/unpacked', name)
}
