import type { StorageUsage } from '../api.ts'

/** Names of the kinds of stored files. */
export const kindNames: Readonly<Record<StorageUsage['kinds'][number]['kind'], string>> = {
  original: 'Downloads',
  conversion: 'Conversions',
  trim: 'Clips',
  export: 'Exports',
  stem: 'Stems',
  wave: 'Waves',
  picture: 'Covers',
}

/** What is said while not one of the stored files can be found. */
export const filesMissing =
  'None of the stored files can be found. Mount their disk, or correct ARTIFACTS. Until then nothing of the record of them is ' +
  'forgotten, nothing is deleted to make room, and nothing new is stored in the place of their disk.'
