import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { onBothDatabases } from '../../../test/on-both-databases.ts'
import { createTestAuthority } from '../../../test/test-authority.ts'
import { openUploads } from './uploads.ts'

const root = createTestAuthority()
const mine = root.issue({ names: ['a.example'] })

onBothDatabases(async ({ query: db }, name) => {
  const clock = createManualClock(Date.now())
  const sealer = createSealer(new Uint8Array(32).fill(7))
  const using = new Map<number, number[]>()
  const replaced: unknown[] = []
  const ordered = new Map<number, string>()
  const parts = {
    db,
    sealer,
    clock,
    sitesUsing: (id: number) => Promise.resolve(using.get(id) ?? []),
    ordered: () => Promise.resolve(ordered),
    folder: undefined,
    onReplaced: (id: number, siteIds: readonly number[]) => void replaced.push([id, siteIds]),
  }
  const uploads = await openUploads(parts)
  const upload = (made = mine) =>
    ({ name: 'Mine', kind: 'certificate', certificate: made.chain, private_key: made.key }) as const

  await test(`${name}: the key is sealed to its row and opened only for the configuration`, async () => {
    const added = await uploads.add(upload())
    assert.deepEqual([added.id, added.names, added.key, added.chain_length], [1, ['a.example'], 'ec 256', 1])
    assert.ok(!JSON.stringify(await uploads.list()).includes('PRIVATE'))
    const rows = await db.selectFrom('uploaded_certificates').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes('PRIVATE'))
    const source = { form: 'pem', certificate: mine.chain, key: mine.key }
    assert.deepEqual(uploads.material.certificate(added.id), source)
    assert.deepEqual((await openUploads(parts)).material.certificate(added.id), source)
    const second = await uploads.add(upload())
    await db
      .updateTable('uploaded_certificates')
      .set({ key_sealed: rows[0]!.key_sealed })
      .where('id', '=', second.id)
      .execute()
    await assert.rejects(openUploads(parts), /another place/)
    await uploads.remove(second.id)
  })

  await test(`${name}: a renewal replaces the certificate and notifies the sites that use it`, async () => {
    using.set(1, [5, 6])
    const renewed = root.issue({ names: ['a.example'] })
    clock.advance(1000)
    const result = await uploads.replace(1, { certificate: renewed.chain, private_key: renewed.key })
    assert.deepEqual([result?.used_by, result?.changed_at], [[5, 6], new Date(clock.now()).toISOString()])
    assert.deepEqual(replaced, [[1, [5, 6]]])
    assert.equal(uploads.material.certificate(1)?.key, renewed.key)
    assert.equal(await uploads.replace(99, { certificate: renewed.chain, private_key: renewed.key }), undefined)
  })

  await test(`${name}: a certificate in use cannot be deleted; a deleted one leaves no key, and its id is not reused`, async () => {
    await assert.rejects(uploads.remove(1), { status: 409, message: 'Sites use the certificate: 5, 6' })
    using.delete(1)
    assert.deepEqual([await uploads.remove(1), await uploads.remove(1)], [true, false])
    assert.deepEqual([await uploads.find(1), uploads.material.certificate(1)], [undefined, undefined])
    const left = await db.selectFrom('uploaded_certificates').selectAll().execute()
    assert.deepEqual(
      left.map(({ chain, key_sealed }) => chain + key_sealed),
      ['', ''],
    )
    assert.equal((await uploads.add(upload())).id, 3)
  })

  await test(`${name}: a local Caddy reads private files, which are removed with the certificate`, async () => {
    await using folder = await temporaryDirectory('certificates')
    const files = await openUploads({ ...parts, folder: folder.path })
    const added = await files.add(upload())
    const source = files.material.certificate(added.id)!
    assert.deepEqual([source.form, await readFile(source.key, 'utf8')], ['files', mine.key])
    assert.equal((await stat(source.key)).mode & 0o777, 0o600)
    const renewed = root.issue({ names: ['a.example'] })
    await files.replace(added.id, { certificate: renewed.chain, private_key: renewed.key })
    assert.notEqual(files.material.certificate(added.id)?.key, source.key)
    const { material } = await openUploads({ ...parts, folder: folder.path })
    assert.deepEqual((await readdir(folder.path)).length, [...material.certificateIds()].length * 2)
    await files.remove(added.id)
    assert.ok((await readdir(folder.path)).every((file) => !file.startsWith(`${added.id}-`)))
  })

  await test(`${name}: an ordered certificate is stored once and belongs to its order`, async () => {
    const first = root.issue({ names: ['ordered.example'] })
    const install = (id: number | null, made: typeof first) =>
      uploads.install(id, { name: 'Ordered', certificate: made.chain, private_key: made.key })
    const id = await install(null, first)
    assert.equal(await install(null, first), id, 'the same again after a crash')
    using.set(id, [5])
    const renewed = root.issue({ names: ['ordered.example'] })
    assert.equal(await install(id, renewed), id)
    assert.deepEqual(replaced.at(-1), [id, [5]])
    assert.equal(uploads.material.certificate(id)?.key, renewed.key)
    ordered.set(id, 'an order')
    assert.equal((await uploads.find(id))?.order_id, 'an order')
    await assert.rejects(uploads.remove(id), { status: 409 })
    await assert.rejects(uploads.replace(id, { certificate: first.chain, private_key: first.key }), { status: 409 })
    ordered.clear()
    using.clear()
    await uploads.remove(id)
  })

  await test(`${name}: an authority has no key and cannot be used as a server certificate`, async () => {
    const added = await uploads.add({ name: 'House', kind: 'authority', certificate: root.root, private_key: '' })
    assert.deepEqual(
      [added.kind, added.subject, uploads.material.certificate(added.id)],
      ['authority', 'Test Root', undefined],
    )
    const base64 = root.root.replaceAll(/-----[^-]+-----|\n/g, '')
    assert.deepEqual(uploads.material.authority(added.id), [base64])
    assert.equal(uploads.material.authority(3), undefined)
    assert.deepEqual([...uploads.material.authorityIds()], [added.id])
  })
})
