import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import type { Share } from '../src/shares/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('hearth media share prints a link, and says what is wrong', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), API_TOKENS: 'on' })
  await using folder = await temporaryDirectory()
  const share = (...args: string[]) => runCommand(['media', 'share', ...args], { HEARTH_MEDIA_URL: media.url })
  const { id } = await media.submit(platform.page('sound.m4a'))
  await media.reach(id, 'analysis_done')
  const passwordFile = join(folder.path, 'password')
  await writeFile(passwordFile, 'open sesame\n')

  const plain = await share(id)
  assert.deepEqual([plain.code, plain.stderr], [0, ''])
  assert.match(plain.stdout, new RegExp(`^${media.url}/share/[\\w-]{8}\n$`))
  const full = await share(id, '--name', 'Demo', '--ends', '7d', '--uses', '3', '--password-file', passwordFile)
  const { body } = await media.json<Share[]>('GET', '/api/shares')
  const made = body.find(({ url }) => `${url}\n` === full.stdout)
  assert.deepEqual([made?.name, made?.max_uses, made?.has_password], ['Demo', 3, true])
  const days = (Date.parse(`${made?.expires_at?.replace(' ', 'T')}Z`) - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days <= 7)

  for (const [args, problem] of [
    [['11111111-1111-4111-8111-111111111111'], /There is no such job/],
    [['x'], /job_ids/],
    [[id, '--ends', 'soon'], /--ends: soon/],
    [[id, '--uses', 'many'], /--uses: many/],
    [[id, '--uses', '10001'], /max_uses/],
    [[id, '--password-file', join(folder.path, 'none')], /--password-file: cannot read/],
    [[id, '--server', 'http://127.0.0.1:9'], /does not answer/],
  ] as const) {
    const refused = await share(...args)
    assert.deepEqual([refused.code, refused.stdout], [1, ''], args.join(' '))
    assert.match(refused.stderr, problem)
  }
})
