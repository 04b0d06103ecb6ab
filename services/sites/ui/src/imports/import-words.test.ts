import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importBody } from './import-source.ts'
import { summary } from './import-words.ts'

const counts = { found: 4, created: 0, new: 2, failed: 0, conflicting: 1, invalid: 1 }

test('one sentence describes an import, before and after', () => {
  assert.equal(
    summary({ dry_run: true, counts }),
    '2 of 4 sites can be imported; 1 with a domain of another site, 1 that cannot be.',
  )
  const one = { found: 1, created: 1, new: 0, failed: 0, conflicting: 0, invalid: 0 }
  assert.equal(summary({ dry_run: false, counts: one }), '1 of 1 site was imported.')
  assert.equal(summary({ dry_run: true, counts: { ...one, found: 0 } }), 'There are no sites in it.')
})

test('each source is sent in the format of its route', async () => {
  assert.deepEqual(JSON.parse(importBody({ kind: 'caddyfile', text: 'a', raw: true }, true) as string), {
    text: 'a',
    raw: true,
    dry_run: true,
  })
  assert.deepEqual(JSON.parse(importBody({ kind: 'config', text: '{"apps":{}}' }, false) as string), {
    config: { apps: {} },
    dry_run: false,
  })
  assert.throws(() => importBody({ kind: 'config', text: 'no json' }, false), SyntaxError)
  const form = importBody({ kind: 'npm', file: new File(['x'], 'a.sqlite') }, false) as FormData
  assert.equal(form.get('dry_run'), 'false')
  assert.equal(await (form.get('file') as Blob).text(), 'x')
})
