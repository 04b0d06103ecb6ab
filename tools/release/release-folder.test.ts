import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeSums } from './release-folder.ts'

test('the sums of a release have its packages, its images and the bill of materials, and nothing of other versions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-sums-'))
  try {
    const own = ['hearth-vpn_0.2.0_amd64.deb', 'hearth-vpn_0.2.0_amd64.oci.tar', 'sbom.cdx.json']
    for (const name of [...own, 'hearth-vpn_0.1.0_amd64.oci.tar', 'hearth-vpn_0.2.01_amd64.deb', 'SHA256SUMS'])
      writeFileSync(join(folder, name), name)
    writeSums(folder, '0.2.0')
    const names = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      names.map((line) => line.replace(/^[0-9a-f]{64} {2}/, '')),
      own,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
