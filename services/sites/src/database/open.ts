import { openSealedStorage, type SealedStorage, type StorageLocation } from '@hearth/service'
import { migrations } from './migrations/index.ts'
import type { Tables } from '../tables.ts'

/** The service's database on its newest tables, with the key that belongs to it. */
export type Storage = SealedStorage<Tables>

/** Opens the database and the key that belongs to it; see `openSealedStorage`. */
export function openStorage(place: StorageLocation): Promise<Storage> {
  return openSealedStorage<Tables>('sites', place, migrations)
}
