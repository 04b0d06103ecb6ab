import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { loadCatalog } from './catalog.ts'

interface File {
  objects: Record<string, unknown>[]
  write_allowlist: Record<string, unknown>[]
  defaults: Record<string, unknown>
}

async function refusal(
  change: (file: File) => unknown,
  setting: 'registry' | 'allowlist' = 'registry',
): Promise<string> {
  await using folder = await temporaryDirectory('catalog')
  const file = JSON.parse(readFileSync(join(import.meta.dirname, 'objects.json'), 'utf8')) as File
  const path = join(folder.path, 'changed.json')
  const other = change(file)
  writeFileSync(path, JSON.stringify(other ?? file))
  try {
    loadCatalog({ [setting]: path })
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('the shipped catalog has the 894 objects of the vendor specification and no secret', () => {
  const catalog = loadCatalog()
  assert.equal(catalog.objects.length, 894)
  assert.equal(catalog.allowlist.size, 893)
  assert.equal(catalog.byName('battery_soc')?.objectId, 0x959930bf)
  assert.equal(catalog.byId(0x5f33284e)?.name, 'inverter_state')
  assert.equal(catalog.byName('wifi_password'), undefined)
  assert.equal(catalog.byId(0x14c0e627), undefined)
  assert.deepEqual(catalog.allowlist.get('com_service')?.allowed_values, [0, 5, 9, 10, 12, 13, 14, 15, 16, 18])
})

test('an invalid registry or allowlist entry is refused in one line that names it', async () => {
  assert.match(
    await refusal((file) => void (file.objects[3] = { ...file.objects[3], type: 'quaternion' })),
    /^OBJECT_REGISTRY_FILE: objects\.3\.type/,
  )
  assert.match(
    await refusal((file) => void file.objects.push({ ...file.objects[0] })),
    /rb485_f_grid_2 has the name or id of another/,
  )
  assert.match(
    await refusal((file) => void (file.defaults['heartbeat'] = 'nothing')),
    /defaults\.heartbeat names the unknown metric nothing/,
  )
  const password = {
    id: '0x14C0E627',
    name: 'wifi.password',
    metric: 'wifi_password',
    type: 'string',
    unit: null,
    group: 'wifi',
  }
  assert.match(await refusal((file) => void file.objects.push(password)), /wifi_password is a secret/)
  const entry = { name: 'wifi_password', id: '0x14C0E627', type: 'string' }
  assert.match(await refusal((file) => void file.write_allowlist.push(entry)), /wifi_password is a secret/)
  assert.match(await refusal(() => [entry], 'allowlist'), /^WRITE_ALLOWLIST_FILE: wifi_password is a secret/)
  assert.match(
    await refusal(() => [{ name: 'pas_period', id: '0x9C8FE559', type: 'float' }], 'allowlist'),
    /pas_period has another id or type/,
  )
  assert.match(
    await refusal(() => [{ name: 'nothing', id: '0x9C8FE559', type: 'float' }], 'allowlist'),
    /nothing is no object/,
  )
})

test('a wrong entry of a copied allowlist is named', async () => {
  const entry = { name: 'pas_period', id: '0x9C8FE559', type: 'uint32', maximum: 'much' }
  assert.match(await refusal(() => [entry], 'allowlist'), /^WRITE_ALLOWLIST_FILE: 0\.maximum /)
  assert.match(await refusal(() => ({ write_allowlist: [entry] }), 'allowlist'), /^WRITE_ALLOWLIST_FILE: 0\.maximum /)
  assert.match(await refusal(() => 'nothing', 'allowlist'), /^WRITE_ALLOWLIST_FILE: the file must be a list/)
})

test('a copied allowlist may allow more codes', async () => {
  const codes = [0, 6, 11]
  assert.equal(
    await refusal(() => [{ name: 'com_service', id: '0x8FC89B10', type: 'enum', allowed_values: codes }], 'allowlist'),
    '',
  )
})
