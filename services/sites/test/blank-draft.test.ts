import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PathRoute, SiteCreate } from '../src/sites/schema.ts'

interface Editor {
  blankDraft: object
  blankPath: object
  wireOf: (draft: object) => { paths: unknown[] }
}

/** The pages are a project of their own for the compiler. */
const load = async () => {
  const folder = new URL('../ui/src/editor/', import.meta.url)
  const files = ['blank-draft.ts', 'draft.ts'].map((name) => import(new URL(name, folder).href) as Promise<Editor>)
  const [{ blankDraft, blankPath }, { wireOf }] = (await Promise.all(files)) as [Editor, Editor]
  return { blankDraft, blankPath, wireOf }
}

test('a new site in the editor equals the server’s defaults', async () => {
  const { blankDraft, wireOf } = await load()
  const named = { site_name: 'Shop', domains: ['shop.test'] }
  assert.deepEqual(wireOf({ ...blankDraft, ...named }), SiteCreate.parse(named))
})

test('a new path in the editor equals the server’s defaults', async () => {
  const { blankDraft, blankPath, wireOf } = await load()
  const path = { path: '/api', kind: 'proxy' as const }
  const [wire] = wireOf({ ...blankDraft, paths: [{ ...blankPath, ...path }] }).paths
  assert.deepEqual(wire, PathRoute.parse(path))
})
