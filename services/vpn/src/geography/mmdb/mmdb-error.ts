/** A database that is not what its format says. */
export class MmdbError extends Error {
  override readonly name = 'MmdbError'
}
