import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '@hearth/testing'
import { installed, later, startUpdating } from './release-server/updating.ts'

test('the command line shows versions, and a running service uses a fetched yt-dlp at once', async () => {
  await using world = await startUpdating()
  const { releases, media, inUse } = world
  const environment = { DATA_DIR: media.folder, UPDATES_BASE_URL: releases.url }
  const tools = (word: string, more: Record<string, string> = {}) =>
    runCommand(['media', 'tools', word], { ...environment, ...more })
  releases.publish(later(1))
  const status = await tools('status')
  assert.equal(status.code, 0, status.stderr)
  const rows = status.stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
  assert.deepEqual(
    rows.map(([name]) => name),
    ['app', 'ytdlp', 'ytdlp_ejs', 'js_runtime', 'ffmpeg', 'wavesurfer'],
  )
  assert.deepEqual(rows[1], ['ytdlp', installed, later(1)])
  assert.match(status.stderr, new RegExp(`ytdlp: ${later(1)} is newer`))

  const updated = await tools('update')
  assert.deepEqual([updated.code, updated.stdout], [0, `${later(1)}\n`], updated.stderr)
  assert.match(updated.stderr, /Only its checksum was checked/)
  assert.equal(await inUse(), later(1), 'the service that runs uses it')
  const doctor = await runCommand(['doctor', '--json'], environment)
  const sections = JSON.parse(doctor.stdout) as { facts: { name: string; detail: string }[] }[]
  const facts = sections.flatMap((section) => section.facts.filter(({ name }) => name === 'yt-dlp'))
  assert(
    facts.some(({ detail }) => detail.startsWith(later(1))),
    doctor.stdout,
  )

  const reverted = await tools('revert')
  assert.deepEqual([reverted.code, reverted.stdout], [0, `${installed}\n`])
  assert.equal(await inUse(), installed)
  const again = await tools('revert')
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /There is no yt-dlp before the present one/)
})

test('an error is one line on stderr, with nothing on stdout', async () => {
  await using world = await startUpdating()
  const environment = { DATA_DIR: world.media.folder, UPDATES_BASE_URL: world.releases.url }
  world.releases.publish(later(1), 'reads-nothing')
  const failed = await runCommand(['media', 'tools', 'update'], environment)
  assert.deepEqual([failed.code, failed.stdout], [1, ''])
  assert.match(failed.stderr, /^hearth: yt-dlp \S+ was not taken: it cannot read a plain page.*\n$/)
  const fixed = await runCommand(['media', 'tools', 'update'], { ...environment, YTDLP_PATH: '/usr/bin/yt-dlp' })
  assert.equal(fixed.code, 1)
  assert.match(fixed.stderr, /YTDLP_PATH/)
})
