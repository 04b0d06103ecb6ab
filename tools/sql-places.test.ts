import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFiles } from './with-files.ts'
import { strayStatements } from './sql-places.ts'

const statements = [
  "const rows = await db.selectFrom('peers').selectAll().execute()",
  "await trx\n  .insertInto('peers')\n  .values(row)\n  .execute()",
  "await trx.updateTable('peers').set({ enabled: 0 }).execute()",
  "await trx.deleteFrom('peers').execute()",
  'await sql`pragma optimize`.execute(db)',
  'const found = sql<number>`count(*)`',
]

test('SQL is allowed in stores, tables, migrations and tests', async () => {
  const files = ['peers/store.ts', 'peers/activity-store.ts', 'tables.ts', 'database/migrations/0001.ts', 'a.test.ts']
  for (const file of files)
    assert.deepEqual(
      await withFiles({ [`services/vpn/src/${file}`]: statements.join('\n') }, strayStatements),
      [],
      file,
    )
})

test('a statement elsewhere is refused with its line', async () => {
  for (const statement of statements) {
    const text = `import { db } from './db.ts'\n${statement}\n`
    const [fault, ...others] = await withFiles({ 'services/vpn/src/peers/restore.ts': text }, strayStatements)
    assert.match(String(fault), /^services\/vpn\/src\/peers\/restore\.ts:[23] holds SQL/)
    assert.deepEqual(others, [])
  }
})
