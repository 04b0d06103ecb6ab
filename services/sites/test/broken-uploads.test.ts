import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { brokenUploads, rawUpload, sendRaw, nextAddress } from '@hearth/testing'
import { startSites } from './in-process.ts'

test('the Nginx Proxy Manager import responds to a broken upload with 400 and logs nothing', async () => {
  const logged: unknown[] = []
  const log = createLog({ name: 'test', level: 'silent' })
  log.error = (...entry: unknown[]) => void logged.push(entry)
  await using sites = await startSites({}, { log })
  const browser = await sites.signIn()
  const headers = {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'x-csrf-token': await browser.csrf(),
  }
  for (const upload of brokenUploads) {
    const bytes = rawUpload('/api/caddy/import/npm', upload, { ...headers, 'x-forwarded-for': nextAddress() })
    const reply = await sendRaw(sites.url, bytes, { isCut: upload.isCut ?? false })
    if (upload.isCut === true) continue
    assert.equal(reply.status, 400, `${upload.what}: ${reply.body}`)
    assert.match(reply.body, /"detail":"(?:Content-Type names no boundary|The multipart body|The request is malformed)/)
  }
  assert.deepEqual(logged, [])
})
