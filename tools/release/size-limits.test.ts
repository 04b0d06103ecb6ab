import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeProblems } from './size-limits.ts'

const size = (name: string, architecture: string, [download, installed]: readonly [number, number]) => ({
  name,
  architecture,
  download: download * 1e6,
  installed: installed * 1e6,
})

test('a service is measured with the runtime of its own architecture', () => {
  const sizes = [
    size('hearth-runtime', 'amd64', [36, 162]),
    size('hearth-vpn', 'amd64', [4, 28]),
    size('hearth-sites', 'amd64', [25, 29]),
    size('hearth-runtime', 'arm64', [30, 150]),
    size('hearth-vpn', 'arm64', [4, 28.5]),
    size('hearth', 'all', [99, 999]),
  ]
  assert.deepEqual(sizeProblems(sizes), [
    'hearth-sites with its runtime (amd64), download: 61.0 MB; at most 60.0 are allowed',
    'hearth-sites with its runtime (amd64), installed: 191.0 MB; at most 190.0 are allowed',
  ])
  assert.deepEqual(sizeProblems(sizes, { installed: 191_000_000 }), [])
})
