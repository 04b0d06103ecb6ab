import type { DatabaseLocation } from '@hearth/database'
import { startPostgres } from '@hearth/testing'

/** Opens what a test works in on a PostgreSQL of its own, which ends with it. */
export async function openOnPostgres<World extends AsyncDisposable>(
  open: (location: DatabaseLocation) => Promise<World>,
): Promise<World> {
  await using cleanup = new AsyncDisposableStack()
  const postgres = cleanup.use(await startPostgres())
  const world = cleanup.use(await open({ url: await postgres.createDatabase() }))
  const kept = cleanup.move()
  return { ...world, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
