import type { Kysely } from 'kysely'
import type { CertificateTables } from '../tables.ts'
import { deleteFact, factsBeginning, writeFact } from './store.ts'

/** Sites whose names may be sent to SSL Labs. None is until somebody opts in. */
export type OptIns = ReturnType<typeof createOptIns>

const beginning = 'site:'

/** Creates the store of opt-ins, which survive a restart. */
export function createOptIns(db: Kysely<CertificateTables>) {
  return {
    async list(): Promise<ReadonlySet<number>> {
      const names = await factsBeginning(db, beginning)
      return new Set(names.map((name) => Number(name.slice(beginning.length))))
    },
    async set(siteId: number, isOn: boolean): Promise<void> {
      const name = `${beginning}${siteId}`
      await (isOn ? writeFact(db, name, '1') : deleteFact(db, name))
    },
  }
}
