import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undocumentedExports } from './export-docs.ts'
import { withFiles } from './with-files.ts'

const importer = { 'services/vpn/src/app.ts': "import { limit, type Peer, Peers } from './peers/peers.ts'\n" }

test('an export that another folder imports has a docstring', async () => {
  const documented =
    '/** A peer. */\nexport interface Peer {}\n\n/** All peers. */\nexport class Peers {}\n/** Peers. */\nexport const limit = 1\n'
  assert.deepEqual(
    await withFiles({ ...importer, 'services/vpn/src/peers/peers.ts': documented }, undocumentedExports),
    [],
  )
  const bare =
    'export interface Peer {}\nexport class Peers {}\n/** Peers. */\nexport const limit = 1\nexport const own = 2\n'
  assert.deepEqual(await withFiles({ ...importer, 'services/vpn/src/peers/peers.ts': bare }, undocumentedExports), [
    'services/vpn/src/peers/peers.ts: Peer is imported by another folder and has no docstring',
    'services/vpn/src/peers/peers.ts: Peers is imported by another folder and has no docstring',
  ])
})

test('an export that only its own folder or a test imports needs no docstring', async () => {
  const files = {
    'services/vpn/src/peers/peers.ts': 'export function joined() {}\n',
    'services/vpn/src/peers/routes.ts': "import { joined } from './peers.ts'\n",
    'services/vpn/src/dns/dns.test.ts': "import { joined } from '../peers/peers.ts'\n",
  }
  assert.deepEqual(await withFiles(files, undocumentedExports), [])
})

test('a re-export of a kit counts as an export of its source', async () => {
  const files = {
    'kits/http/src/index.ts': "export { route as path } from './server/route.ts'\n",
    'kits/http/src/server/route.ts': 'export async function route() {}\n',
  }
  assert.deepEqual(await withFiles(files, undocumentedExports), [
    'kits/http/src/server/route.ts: route is imported by another folder and has no docstring',
  ])
})
