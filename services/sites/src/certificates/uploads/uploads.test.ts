import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../../test/on-both-databases.ts'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { CertificateInUse, createUploads } from './uploads.ts'

const root = createTestAuthority()
const mine = root.issue({ names: ['a.example'] })

onBothDatabases(async ({ query: db }, name) => {
  const clock = createManualClock(Date.now())
  const sealer = createSealer(new Uint8Array(32).fill(7))
  const using = new Map<number, number[]>()
  const replaced: unknown[] = []
  const uploads = createUploads({
    db,
    sealer,
    clock,
    sitesUsing: (id) => Promise.resolve(using.get(id) ?? []),
    onReplaced: (id, siteIds) => void replaced.push([id, siteIds]),
  })
  const upload = (made = mine) =>
    ({ name: 'Mine', kind: 'certificate', certificate: made.chain, privateKey: made.key }) as const

  await test(`${name}: the key is kept sealed to its row and comes back only for the configuration`, async () => {
    const added = await uploads.add(upload())
    assert.deepEqual([added.id, added.names, added.key, added.chainLength], [1, ['a.example'], 'ec 256', 1])
    assert.ok(!JSON.stringify(await uploads.list()).includes('PRIVATE'))
    const rows = await db.selectFrom('uploaded_certificates').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes('PRIVATE'))
    assert.deepEqual(await uploads.pemOf(added.id), { certificate: mine.chain, key: mine.key })
    const second = await uploads.add(upload())
    await db
      .updateTable('uploaded_certificates')
      .set({ key_sealed: rows[0]!.key_sealed })
      .where('id', '=', second.id)
      .execute()
    await assert.rejects(uploads.pemOf(second.id), /another place/)
  })

  await test(`${name}: a renewal takes the place of the old one, and the sites that use it hear of it`, async () => {
    using.set(1, [5, 6])
    const renewed = root.issue({ names: ['a.example'] })
    clock.advance(1000)
    const result = await uploads.replace(1, { certificate: renewed.chain, privateKey: renewed.key })
    assert.deepEqual([result?.usedBy, result?.changedAt], [[5, 6], clock.now()])
    assert.deepEqual(replaced, [[1, [5, 6]]])
    assert.equal((await uploads.pemOf(1))?.key, renewed.key)
    assert.equal(await uploads.replace(99, { certificate: renewed.chain, privateKey: renewed.key }), undefined)
  })

  await test(`${name}: what is used stays; what is deleted leaves no key behind and its number to nobody`, async () => {
    await assert.rejects(uploads.remove(1), CertificateInUse)
    using.delete(1)
    assert.deepEqual([await uploads.remove(1), await uploads.remove(1)], [true, false])
    assert.deepEqual([await uploads.find(1), await uploads.pemOf(1)], [undefined, undefined])
    await uploads.remove(2)
    const left = await db.selectFrom('uploaded_certificates').selectAll().execute()
    assert.deepEqual(
      left.map(({ chain, key_sealed }) => chain + key_sealed),
      ['', ''],
    )
    assert.equal((await uploads.add(upload())).id, 3)
  })

  await test(`${name}: an authority has no key and serves as nothing else`, async () => {
    const added = await uploads.add({ name: 'House', kind: 'authority', certificate: root.root, privateKey: '' })
    assert.deepEqual([added.kind, added.subject, await uploads.pemOf(added.id)], ['authority', 'Test Root', undefined])
    const base64 = root.root.replaceAll(/-----[^-]+-----|\n/g, '')
    assert.deepEqual(await uploads.authorityOf(added.id), [base64])
    assert.equal(await uploads.authorityOf(3), undefined)
  })
})
