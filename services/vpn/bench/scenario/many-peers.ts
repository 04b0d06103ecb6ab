import { openSealedStorage } from '@hearth/service'
import { databaseDescription } from '../../src/database/description.ts'
import { findInterfaceRow } from '../../src/interfaces/store.ts'
import { ipv4OfNumber, subnet4 } from '../../src/interfaces/subnet.ts'
import { newPeerRow } from '../../src/peers/new-peer.ts'
import { insertPeerRow } from '../../src/peers/store.ts'
import { defaultSettings } from '../../src/settings/schema.ts'
import type { Tables } from '../../src/tables.ts'

const kinds = ['phone', 'laptop', 'tablet', 'camera', 'printer', 'thermostat', 'doorbell', 'server']

/**
 * Fills the database of a service that does not run with peers of one interface, made and stored as the service itself does.
 * One in twenty is disabled, one in fifty isolated, and every third had a handshake in the last hour; all have counters.
 */
export async function addManyPeers(dataDirectory: string, interfaceName: string, count: number): Promise<void> {
  const place = { dataDirectory, databaseUrl: undefined, secretKey: undefined }
  const secretKeyFile = `${dataDirectory}/secret.key`
  const { database, sealer } = await openSealedStorage<Tables>(databaseDescription, { ...place, secretKeyFile })
  const now = Date.now()
  const networks = { kind: database.kind, host: { networks: () => Promise.resolve([]) } }
  await database.query.transaction().execute(async (trx) => {
    const on = await findInterfaceRow(trx, interfaceName)
    if (on === undefined) throw new Error(`there is no interface ${interfaceName}`)
    const first = subnet4(on.address).network + 10
    for (let number = 0; number < count; number += 1) {
      const input = {
        name: `${kinds[number % kinds.length]} ${interfaceName} ${number}`,
        interface: interfaceName,
        ip: ipv4OfNumber(first + number),
        enabled: number % 20 !== 7,
        client_isolation: number % 50 === 3,
      }
      const context = { sealer, settings: () => defaultSettings, now: now - (count - number) * 1000, networks }
      const row = await newPeerRow(trx, on, { input, context })
      await insertPeerRow(trx, row)
      const activity = {
        last_handshake: number % 3 === 0 ? now - (number % 3600) * 1000 : null,
        endpoint: `203.0.113.${number % 250}:${1024 + number}`,
        rx_total: number * 1000,
        tx_total: number * 3000,
      }
      await trx.updateTable('peer_activity').set(activity).where('peer_id', '=', row.id).execute()
    }
    await trx
      .updateTable('interfaces')
      .set({ next_host: first + count })
      .where('name', '=', interfaceName)
      .execute()
  })
  await database.close()
}
