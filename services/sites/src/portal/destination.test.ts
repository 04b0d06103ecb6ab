import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteSignIn } from '../sites/sign-in-schema.ts'
import { compileSignIn } from './decide.ts'
import { readDestination } from './destination.ts'
import type { PortalSnapshot, ProtectedSite } from './portal-state.ts'

test('a sign-in is handed over to names that stand in the site, and to none below a wildcard', () => {
  const signIn = compileSignIn(SiteSignIn.parse({}))
  const site: ProtectedSite = { id: 7, name: 'Site', domains: new Set(['*.home.test', 'files.home.test']), signIn }
  const snapshot = { sites: new Map([[7, site]]) } as unknown as PortalSnapshot
  const read = (host: string) =>
    readDestination({ site: '7', to: `https://${host}/page?x=1`, state: 'A'.repeat(43) }, snapshot, 'auth.home.test')
  assert.deepEqual(
    [read('files.home.test')?.authority, read('files.home.test')?.target],
    ['files.home.test', '/page?x=1'],
  )
  // Another server may answer for it.
  assert.equal(read('other.home.test'), undefined)
})
