import { randomUUID } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, invalidField } from '../../problems.ts'
import type { ExternalAccount } from '../client/jws.ts'
import type { AcmeTables, ExternalAccountRow } from '../tables.ts'
import type { ExternalAccountChange, ExternalAccountCreate, ExternalAccountView } from './schema.ts'
import * as store from './store.ts'

interface ExternalAccountsDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly clock: Clock
  /** Called when the account of an authority is another one, or gone. */
  readonly onChanged: (directory: string) => void
}

/** Most external accounts. */
const maxAccounts = 50

/** Accounts of customers at authorities, by the directory. Keys go in and never come out. */
export type ExternalAccounts = Awaited<ReturnType<typeof openExternalAccounts>>

/** Reads the external accounts. They are kept in memory, because each configuration of Caddy needs them. */
export async function openExternalAccounts(dependencies: ExternalAccountsDependencies) {
  const { db, sealer, clock, onChanged } = dependencies
  let rows: readonly ExternalAccountRow[] = []
  let accounts: ReadonlyMap<string, ExternalAccount> = new Map()
  const read = async () => {
    rows = await store.listExternalAccounts(db)
    accounts = new Map(rows.map((row) => [row.directory, accountOf(row, sealer)]))
  }
  await read()
  const queue = createKeyedQueue(20)
  /** One change after the other, so that what is in memory is the newest. */
  const change = <T>(write: () => Promise<T>): Promise<T> =>
    queue.run('all', async () => {
      const result = await write()
      await read()
      return result
    })
  return {
    list: (): ExternalAccountView[] => rows.map(viewOf),
    /** The account for the authority of a directory; undefined without one. */
    find: (directory: string): ExternalAccount | undefined => accounts.get(directory),
    /** Every account, by the directory. */
    all: (): ReadonlyMap<string, ExternalAccount> => accounts,
    /** Throws a problem when there is one for the directory. */
    async add({ directory, key_id, hmac_key }: ExternalAccountCreate): Promise<ExternalAccountView> {
      if (rows.length >= maxAccounts) throw conflict(`There are ${maxAccounts} external accounts already`)
      const [id, now] = [randomUUID(), clock.now()]
      const key_sealed = sealer.seal(hmac_key, sealedAt(id))
      const row = { id, directory, key_id, key_sealed, created_at: now, changed_at: now }
      if (!(await change(() => store.insertExternalAccount(db, row))))
        throw invalidField('directory', 'has an external account already')
      onChanged(directory)
      return viewOf(row)
    },
    /** Undefined when there is none. */
    async change(id: string, values: ExternalAccountChange): Promise<ExternalAccountView | undefined> {
      const row = rows.find((each) => each.id === id)
      if (row === undefined) return undefined
      const changes = {
        key_id: values.key_id,
        key_sealed: sealer.seal(values.hmac_key, sealedAt(id)),
        changed_at: clock.now(),
      }
      await change(() => store.changeExternalAccount(db, id, changes))
      onChanged(row.directory)
      return viewOf({ ...row, ...changes })
    },
    /** False when there is none. */
    async remove(id: string): Promise<boolean> {
      const row = rows.find((each) => each.id === id)
      if (row === undefined) return false
      await change(() => store.deleteExternalAccount(db, id))
      onChanged(row.directory)
      return true
    },
  }
}

const sealedAt = (id: string): string => `external_accounts.key_sealed:${id}`

const accountOf = ({ id, key_id: keyId, key_sealed: sealed }: ExternalAccountRow, sealer: Sealer): ExternalAccount => ({
  keyId,
  key: sealer.open(sealed, sealedAt(id)),
})

const viewOf = ({ id, directory, key_id, created_at, changed_at }: ExternalAccountRow): ExternalAccountView => ({
  id,
  directory,
  key_id,
  created_at: new Date(created_at).toISOString(),
  changed_at: new Date(changed_at).toISOString(),
})
