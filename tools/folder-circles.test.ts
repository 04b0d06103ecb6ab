import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circleFaults } from './folder-circles.ts'
import { withFiles } from './with-files.ts'

function faultsOf(files: Record<string, string>): Promise<string[]> {
  return withFiles(files, (directory) => circleFaults('example', directory))
}

const leaf = 'export const one = 1\n'

test('folders that import each other are refused, with the imports that do so', async () => {
  const faults = await faultsOf({
    'peers/peers.ts': "import { a } from '../dns/dns.ts'\n",
    'dns/dns.ts': "import { b } from '../lists/deep/lists.ts'\n",
    'lists/deep/lists.ts': "import type { Peer } from '../../peers/peers.ts'\n",
    'settings/settings.ts': "import { a } from '../dns/dns.ts'\n",
  })
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /^example: the folders dns, lists, peers import each other/)
  assert.match(faults[0] ?? '', /lists → peers: lists\/deep\/lists\.ts imports \.\.\/\.\.\/peers\/peers\.ts/)
})

test('imports in one direction, within a folder, of the root and in tests are not a circle', async () => {
  const faults = await faultsOf({
    'app.ts': "import { a } from './peers/peers.ts'\n",
    'peers/peers.ts': "import { a } from '../dns/dns.ts'\nimport { b } from './b.ts'\nimport { c } from '../app.ts'\n",
    'peers/b.ts': leaf,
    'dns/dns.ts': leaf,
    'dns/dns.test.ts': "import { a } from '../peers/peers.ts'\n",
  })
  assert.deepEqual(faults, [])
})
