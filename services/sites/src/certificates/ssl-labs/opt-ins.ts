import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { deleteFact, factsBeginning, writeFact } from './store.ts'

/** Which sites let SSL Labs hear their names. None does until somebody says so. */
export interface OptIns {
  list(): Promise<ReadonlySet<number>>
  set(siteId: number, isOn: boolean): Promise<void>
}

const beginning = 'site:'

export function createOptIns(db: Kysely<Tables>): OptIns {
  return {
    async list() {
      const names = await factsBeginning(db, beginning)
      return new Set(names.map((name) => Number(name.slice(beginning.length))))
    },
    async set(siteId, isOn) {
      const name = `${beginning}${siteId}`
      await (isOn ? writeFact(db, name, '1') : deleteFact(db, name))
    },
  }
}
