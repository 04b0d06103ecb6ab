import type { Sealer } from '@hearth/credentials'
import { resealDestinations } from '@hearth/notifications'
import type { Kysely } from 'kysely'
import { keyCheckFact } from '@hearth/service'
import { sealContext } from '../interfaces/desired-devices.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import type { Tables } from '../tables.ts'

/** Seals every secret again with another key, all in one transaction. Returns how many there were. */
export async function resealAll(db: Kysely<Tables>, from: Sealer, to: Sealer): Promise<number> {
  const reseal = (sealed: string, place: string) => to.seal(from.open(sealed, place), place)
  return db.transaction().execute(async (trx) => {
    let count = 0
    for (const { name, private_key } of await allInterfaceRows(trx)) {
      const values = { private_key: reseal(private_key, sealContext.interfaceKey(name)) }
      await trx.updateTable('interfaces').set(values).where('name', '=', name).execute()
      count += 1
    }
    for (const row of await trx.selectFrom('peers').select(['id', 'private_key', 'preshared_key']).execute()) {
      const values = {
        private_key: row.private_key === null ? null : reseal(row.private_key, sealContext.peerKey(row.id)),
        preshared_key: row.preshared_key === null ? null : reseal(row.preshared_key, sealContext.presharedKey(row.id)),
      }
      await trx.updateTable('peers').set(values).where('id', '=', row.id).execute()
      count += Object.values(values).filter((value) => value !== null).length
    }
    count += await resealDestinations(trx, reseal)
    await trx.updateTable('facts').set({ value: to.keyCheck }).where('name', '=', keyCheckFact).execute()
    return count
  })
}
