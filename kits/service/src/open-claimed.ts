import type { Database } from '@hearth/database'
import type { DataDirectoryClaim } from '@hearth/runtime'

/** Resources of a service that is being opened. */
export interface Opening {
  /** Closed in reverse order, when the service closes or its start fails. */
  readonly resources: AsyncDisposableStack
  /** Opens the database with `open` and closes it with the service. */
  readonly openDatabase: <Storage extends OpenedStorage>(open: () => Promise<Storage>) => Promise<Storage>
}

/** A database with its related resources. */
interface OpenedStorage {
  readonly database: Pick<Database<unknown>, 'kind' | 'close'>
}

/**
 * Opens a service on its claimed data directory. When `open` throws, everything that was opened is closed, and a fresh
 * directory is left as it was. `close` of the result closes everything and ends the claim.
 */
export async function openClaimed<Service extends object>(
  claim: DataDirectoryClaim,
  open: (opening: Opening) => Promise<Service>,
): Promise<Service & { close(): Promise<void> }> {
  await using cleanup = new AsyncDisposableStack()
  cleanup.use(claim)
  const service = await open({
    resources: cleanup,
    openDatabase: async (openStorage) => {
      const storage = await openStorage()
      cleanup.defer(() => storage.database.close())
      // The database on the server is bound to the key from here on, so the key file must stay.
      if (storage.database.kind === 'postgres') claim.keep()
      return storage
    },
  })
  claim.keep()
  const resources = cleanup.move()
  return { ...service, close: () => resources.disposeAsync() }
}
