import type { Sealer } from '@hearth/credentials'
import { resealDestinations } from '@hearth/notifications'
import type { Kysely } from 'kysely'
import { keyCheckFact } from '@hearth/service'
import { sealContext } from '../interfaces/desired-devices.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { authoritySealContext } from '../nodes/authority.ts'
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
    for (const row of await trx.selectFrom('peers').selectAll().execute()) {
      const resealed = (sealed: string | null, place: string) => (sealed === null ? null : reseal(sealed, place))
      const [key, preshared] = [sealContext.peerKey(row.id), sealContext.presharedKey(row.id)]
      const values = {
        private_key: resealed(row.private_key, key),
        preshared_key: resealed(row.preshared_key, preshared),
        next_private_key: resealed(row.next_private_key, key),
        next_preshared_key: resealed(row.next_preshared_key, preshared),
      }
      await trx.updateTable('peers').set(values).where('id', '=', row.id).execute()
      count += Object.values(values).filter((value) => value !== null).length
    }
    for (const row of await trx.selectFrom('node_authority').selectAll().execute()) {
      const values = {
        private_key: reseal(row.private_key, authoritySealContext.privateKey),
        server_key: reseal(row.server_key, authoritySealContext.serverKey),
      }
      await trx.updateTable('node_authority').set(values).where('id', '=', row.id).execute()
      count += 2
    }
    count += await resealDestinations(trx, reseal)
    await trx.updateTable('facts').set({ value: to.keyCheck }).where('name', '=', keyCheckFact).execute()
    return count
  })
}
