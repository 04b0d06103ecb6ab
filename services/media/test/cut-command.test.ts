import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { emptyContent } from '../src/workbench/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { newExport } from './job-row.ts'
import { startPlatform } from './platform/platform.ts'

test('hearth media cut writes the parts that are named, or saved in the workbench, and says what is wrong', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), API_TOKENS: 'on' })
  await using folder = await temporaryDirectory()
  const cut = (...args: string[]) =>
    runCommand(['media', 'cut', '-o', folder.path, ...args], { HEARTH_MEDIA_URL: media.url })
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Night drive' }))
  await media.reach(id, 'analysis_done')

  const named = await cut(id, '--part', '0:01-2.5=Intro', '0:03-0:04', '--format', 'flac', '--tempo', '90')
  assert.deepEqual([named.code, named.stderr], [0, ''])
  assert.deepEqual(
    named.stdout
      .trim()
      .split('\n')
      .map((path) => path.slice(folder.path.length + 1)),
    ['Night drive (1) - 01 Intro.flac', 'Night drive (1) - 02.flac'],
  )
  const part = { id: 'a', name: 'Saved', start: 1, end: 2, fade_in: 0, fade_out: 0, loop: null }
  await media.json('PUT', `/api/jobs/${id}/workbench`, { json: { revision: 0, ...emptyContent, parts: [part] } })
  const saved = await cut(id)
  assert.deepEqual([saved.code, saved.stdout], [0, `${folder.path}/Night drive (1) - Saved.wav\n`])
  assert.equal(readdirSync(folder.path).length, 3)

  for (const [args, problem] of [
    [['11111111-1111-4111-8111-111111111111'], /There is no such job/],
    [[id, '--part', 'soon'], /--part: soon/],
    [[id, '--part', '1-99'], /parts.0 ends at 99.000 seconds/],
    [[id, '--tempo', 'fast'], /--tempo: fast/],
    [[id, '--format', 'exe'], /format must be/],
    [[id, '--output', '/none'], /--output: \/none is no folder/],
    [[id, '--server', 'http://127.0.0.1:9'], /does not answer/],
  ] as const) {
    const refused = await cut(...args)
    assert.deepEqual([refused.code, refused.stdout], [1, ''], args.join(' '))
    assert.match(refused.stderr, problem)
  }
})

/** Hands requests on to a service, and tells of every answer. */
async function startForwarder(to: string, onAnswer: (status: number) => void): Promise<Server & { url: string }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const onward = forward(new URL(url, to), { method, headers }, (answer) => {
      onAnswer(answer.statusCode ?? 0)
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

test('hearth media cut waits while the exports of its job are as many as may wait, and then goes on', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  await using folder = await temporaryDirectory()
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Night drive' }))
  await media.reach(id, 'analysis_done')
  const { query } = media.service.app.core.database
  // As those of another process, which is at work on them.
  const lease_until = Date.now() + 3_600_000
  const busy = Array.from({ length: 10 }, () => newExport({ job_id: id, status: 'running', lease_until }))
  await query.insertInto('exports').values(busy).execute()
  const answers: number[] = []
  let freed: Promise<unknown> | undefined
  const forwarder = await startForwarder(media.url, (status) => {
    answers.push(status)
    if (status === 429)
      freed ??= query
        .deleteFrom('exports')
        .where('id', '=', busy[0]?.id ?? '')
        .execute()
  })
  try {
    const { code, stderr, stdout } = await runCommand(['media', 'cut', id, '--part', '1-2', '-o', folder.path], {
      HEARTH_MEDIA_URL: forwarder.url,
    })
    await freed
    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(readdirSync(folder.path), [stdout.trim().slice(folder.path.length + 1)])
    assert.equal(answers.filter((status) => status === 429).length, 1)
  } finally {
    forwarder.close()
  }
})
