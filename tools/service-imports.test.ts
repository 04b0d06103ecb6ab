import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceImportFaults } from './service-imports.ts'
import { withFiles } from './with-files.ts'

function faultsOf(files: Record<string, string>): Promise<string[]> {
  return withFiles({ 'services/vpn/src/peers/peers.ts': '', ...files }, serviceImportFaults)
}

test('a service may import its own files and kits', async () => {
  const files = {
    'services/vpn/src/app.ts': "import { Peers } from './peers/peers.ts'\nimport { route } from '@hearth/http'\n",
    'services/vpn/test/peers.test.ts': "import { Peers } from '../src/peers/peers.ts'\n",
    'kits/http/src/server.ts': "import { createLog } from '@hearth/runtime'\n",
  }
  assert.deepEqual(await faultsOf(files), [])
})

test('an import of a service by another service or a kit is refused, also for types, in pages and in tests', async () => {
  for (const [file, target] of [
    ['services/media/src/app.ts', '../../vpn/src/peers/peers.ts'],
    ['services/media/src/app.ts', '@hearth/vpn'],
    ['services/media/ui/src/main.tsx', '../../../vpn/src/peers/peers.ts'],
    ['services/media/test/app.test.ts', '../../vpn/src/peers/peers.ts'],
    ['kits/http/src/server.ts', '../../../services/vpn/src/peers/peers.ts'],
  ] as const)
    for (const text of [`import type {\n  Peers,\n} from '${target}'\n`, `await import('${target}')\n`])
      assert.deepEqual(await faultsOf({ [file]: text }), [
        `${file} imports the service vpn: put what both need into a kit`,
      ])
})
