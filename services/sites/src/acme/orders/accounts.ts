import type { Sealer } from '@hearth/credentials'
import type { GuardedFetch } from '@hearth/outbound'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { AcmeClient } from '../client/acme-client.ts'
import { type ExternalAccount, generateKey, type Signer } from '../client/jws.ts'
import * as store from '../store.ts'
import type { AcmeTables } from '../tables.ts'

interface AccountsDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly fetch: GuardedFetch
  /** Where the authority writes to; empty for nowhere. */
  readonly email: () => string
  /** The external account for the authority of a directory. */
  readonly externalAccount: (directory: string) => ExternalAccount | undefined
}

/** Accounts at authorities, one for each directory. */
export type Accounts = ReturnType<typeof createAccounts>

/** Creates the store of accounts. A key is kept before an authority sees it: the same key always gives the same account. */
export function createAccounts({ db, sealer, clock, fetch, email, externalAccount }: AccountsDependencies) {
  const queue = createKeyedQueue(100)
  const clients = new Map<string, AcmeClient>()
  const clientOf = (directory: string): AcmeClient => {
    const client = clients.get(directory) ?? new AcmeClient(fetch, directory, () => clock.now())
    clients.set(directory, client)
    return client
  }
  return {
    /** The authority of a directory. */
    client: clientOf,
    /** Finds or creates the account at the authority of a directory. Throws `AcmeError`. */
    signer: (directory: string): Promise<Signer> =>
      queue.run(directory, async () => {
        const place = `acme_accounts.key_sealed:${directory}`
        const found = await store.findAccount(db, directory)
        const fresh = () => ({ key_sealed: sealer.seal(generateKey(), place), url: null, created_at: clock.now() })
        const row = found ?? (await store.settleAccount(db, { directory, ...fresh() }))
        const key = sealer.open(row.key_sealed, place)
        if (row.url !== null) return { key, account: row.url }
        const account = await clientOf(directory).account(key, {
          email: email() === '' ? undefined : email(),
          external: externalAccount(directory),
        })
        await store.nameAccount(db, directory, account)
        return { key, account }
      }),
    /** Creates the account anew, with its key, at the next use: the authority does not know it any more. */
    forget: (directory: string): Promise<void> => store.nameAccount(db, directory, null),
  }
}
