import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '@hearth/database'
import { createRecoveryCodes, deleteRecoveryCodesOf } from './recovery-codes.ts'
import { createRecoveryCodeTable, type RecoveryCodeTables } from './store.ts'

interface Tables extends RecoveryCodeTables {
  users: { id: string }
}

test('a code signs in once, however it is typed; new codes replace the old ones', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  const { query } = database
  await query.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute()
  await createRecoveryCodeTable(query as never)
  await query.insertInto('users').values({ id: 'u1' }).execute()
  const codes = createRecoveryCodes(query, { count: 3 })
  const [first = '', second = '', third = ''] = await codes.create('u1')
  assert.match(first, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
  assert.equal(await codes.use('u2', first), false)
  assert.equal(await codes.use(undefined, first), false)
  assert.equal(await codes.use('u1', ` ${first.toUpperCase().replaceAll('-', ' ')} `), true)
  assert.equal(await codes.use('u1', first), false)
  assert.equal(await codes.count('u1'), 2)
  const rows = await query.selectFrom('recovery_codes').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(second), 'the code itself is stored')
  await codes.create('u1')
  assert.equal(await codes.use('u1', third), false)
  assert.equal(await codes.count('u1'), 3)
  await deleteRecoveryCodesOf(query, 'u1')
  assert.equal(await codes.count('u1'), 0)
  await database.close()
})
