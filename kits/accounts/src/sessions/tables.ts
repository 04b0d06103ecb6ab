import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'

/** Adds the address and the device of each session to the table `sessions`; sessions from before have neither. */
export async function addSessionOrigin(query: AnyQuery): Promise<void> {
  const { schema } = query as Kysely<unknown>
  for (const column of ['address', 'user_agent'])
    await schema.alterTable('sessions').addColumn(column, 'text').execute()
}
