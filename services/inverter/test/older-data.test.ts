import { join } from 'node:path'
import { testOlderData } from '@hearth/testing'
import { sql } from 'kysely'
import { openQuery } from '../src/database/open.ts'
import { findSecret } from '../src/database/secret.ts'

testOlderData('inverter', join(import.meta.dirname, 'older-data'), {
  hasPostgres: false,
  async makeNewer(_, { DATA_DIR: dataDirectory, HMAC_SECRET: hmacSecret }) {
    await using query = openQuery(dataDirectory, await findSecret({ dataDirectory, hmacSecret }))
    // A dispatch that is not finished would be lost with the newer database, so that restoring is refused.
    await sql`delete from dispatch_records`.execute(query)
    await sql`insert into kysely_migration values ('9999-newer', '2030-01-01T00:00:00.000Z')`.execute(query)
  },
})
