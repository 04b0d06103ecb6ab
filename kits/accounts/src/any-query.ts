import type { Kysely } from 'kysely'

/** A database, or a transaction in it, whatever its tables; each part of this kit uses its own and leaves the others alone. */
export type AnyQuery = Pick<Kysely<unknown>, 'isTransaction'>
