import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { brokenUploads, rawUpload, sendRaw } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { startMedia } from './in-process.ts'

for (const path of ['/api/cookies/youtube', '/api/settings/watermark-logo'])
  test(`POST ${path} responds to a broken upload with 400 and logs nothing`, async () => {
    const logged: unknown[] = []
    const log = createLog({ name: 'test', level: 'silent' })
    log.error = (...entry: unknown[]) => void logged.push(entry)
    await using media = await startMedia({}, { log })
    await media.call('GET', '/api/session')
    const token = media.cookies.get(csrfCookie) ?? ''
    for (const [index, upload] of brokenUploads.entries()) {
      const headers = {
        cookie: `${csrfCookie}=${token}`,
        'x-csrf-token': token,
        'x-forwarded-for': `10.9.0.${index}`,
      }
      const reply = await sendRaw(media.url, rawUpload(path, upload, headers), { isCut: upload.isCut ?? false })
      if (upload.isCut === true) continue
      assert.equal(reply.status, 400, `${upload.what}: ${reply.body}`)
      assert.match(
        reply.body,
        /"detail":"(?:Content-Type names no boundary|The multipart body|The request is malformed)/,
      )
    }
    assert.deepEqual(logged, [])
  })
