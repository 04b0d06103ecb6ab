import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { verifyPassword } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { temporaryDirectory } from '@hearth/testing'
import {
  createWithInitialPassword,
  forgetInitialPassword,
  initialPasswordFile,
  pendingInitialPassword,
} from './initial-password.ts'

interface Tables {
  accounts: { password_hash: string; password_change_required: number }
}

test('the generated password stays in a private file until it is changed; an unused one leaves no file', async () => {
  await using directory = await temporaryDirectory()
  const database = openDatabase<Tables>({ file: ':memory:' })
  const create = database.query.schema.createTable('accounts').addColumn('password_hash', 'text')
  await create.addColumn('password_change_required', 'integer').execute()
  const file = initialPasswordFile(directory.path)
  const none = await createWithInitialPassword(database, directory.path, () => Promise.resolve(false))
  assert.equal(none, undefined)
  assert.equal(existsSync(file), false)
  const password = await createWithInitialPassword(database, directory.path, async (trx, values) => {
    await trx.insertInto('accounts').values(values).execute()
    return true
  })
  const account = await database.query.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
  assert.ok(await verifyPassword(password ?? '', account.password_hash))
  assert.equal(await readFile(file, 'utf8'), `${password}\n`)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal(await pendingInitialPassword(directory.path, account), password)
  assert.equal(await pendingInitialPassword(directory.path, { password_change_required: 0 }), undefined)
  await forgetInitialPassword(directory.path)
  assert.equal(await pendingInitialPassword(directory.path, account), undefined)
  await database.close()
})
