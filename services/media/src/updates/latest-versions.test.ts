import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOutboundAllow } from '@hearth/outbound'
import { createManualClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { componentSources } from './components.ts'
import { createLatestVersions } from './latest-versions.ts'
import { createReleaseWeb } from './release.ts'

const hour = 3_600_000
const sources = componentSources(undefined)

/** A server that answers every question, as long as it is well. */
async function startServer() {
  const state = { asked: 0, status: 200, tag: 'v1.0.0', padding: 0 }
  const server = createServer((request, response) => {
    state.asked += 1
    const tags = [{ ref: `refs/tags/${state.tag.replace('v', 'n')}` }]
    const answer =
      request.url?.includes('matching-refs') === true ? tags : { tag_name: state.tag, body: 'x'.repeat(state.padding) }
    response.writeHead(state.status).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    state,
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('results are cached for a day, failures for an hour, and known versions stay, marked stale', async () => {
  await using server = await startServer()
  await using place = await temporaryDirectory('latest')
  const { state } = server
  const clock = createManualClock(Date.UTC(2027, 0, 1))
  // The operator named the server, so that the guard lets it through, loopback or not.
  const web = createReleaseWeb(server.url, createOutboundAllow([]))
  const file = join(place.path, 'updates.json')
  const look = createLatestVersions({ sources, web, file, clock })
  const [first] = await Promise.all([look(), look()])
  assert.equal(state.asked, 5, 'each question once, though two asked')
  assert.deepEqual([first?.checkedAt, first?.attemptedAt, first?.unanswered.size], [clock.now(), clock.now(), 0])
  assert.equal(first?.versions.get('ffmpeg')?.version, '1.0.0')

  state.tag = 'v1.1.0'
  clock.advance(24 * hour - 1)
  assert.equal((await look()).versions.get('ytdlp')?.version, '1.0.0')
  assert.equal(state.asked, 5)
  clock.advance(1)
  const second = await look()
  assert.deepEqual([state.asked, second.versions.get('ytdlp')?.version], [10, '1.1.0'])

  state.status = 500
  clock.advance(24 * hour)
  const failed = await look()
  assert.equal(failed.versions.get('ytdlp')?.version, '1.1.0')
  assert.equal(failed.unanswered.size, 5)
  assert.equal(failed.checkedAt, clock.now() - 24 * hour)
  assert.equal(failed.attemptedAt, clock.now())
  clock.advance(hour - 1)
  await look()
  assert.equal(state.asked, 15, 'a failure is not asked about again at once')
  assert.deepEqual(await createLatestVersions({ sources, web, file, clock })(), failed, 'not after a restart either')
  assert.equal(state.asked, 15)
  clock.advance(1)
  state.status = 200
  assert.equal((await look()).unanswered.size, 0)
  assert.equal(state.asked, 20)
  clock.jump(-48 * hour)
  await look()
  assert.equal(state.asked, 25, 'a moment that is yet to come says nothing of age')
})

test('a newly configured repository is queried even if the others were queried recently', async () => {
  await using server = await startServer()
  await using place = await temporaryDirectory('latest')
  const web = createReleaseWeb(server.url, createOutboundAllow([]))
  const shared = { web, file: join(place.path, 'updates.json'), clock: createManualClock(Date.UTC(2027, 0, 1)) }
  assert.equal((await createLatestVersions({ ...shared, sources })()).versions.has('app'), false)
  const named = createLatestVersions({ ...shared, sources: componentSources('somebody/hearth') })
  assert.equal((await named()).versions.get('app')?.version, '1.0.0')
  assert.equal(server.state.asked, 11)
  await named()
  assert.equal(server.state.asked, 11)
})

test('an oversized response or a broken cache file does no harm', async () => {
  await using server = await startServer()
  await using place = await temporaryDirectory('latest')
  server.state.padding = 1024 * 1024
  const web = createReleaseWeb(server.url, createOutboundAllow([]))
  const file = join(place.path, 'updates.json')
  await writeFile(file, '{"checkedAt":')
  const look = createLatestVersions({ sources, web, file, clock: createManualClock(1) })
  const { versions, unanswered } = await look()
  assert.deepEqual([[...versions.keys()], unanswered.size], [['ffmpeg'], 4])
  JSON.parse(await readFile(file, 'utf8'))
  const nowhere = join(place.path, 'a-folder')
  await mkdir(nowhere)
  const unwritable = createLatestVersions({ sources, web, file: nowhere, clock: createManualClock(1) })
  assert.equal((await unwritable()).versions.size, 1)
})

test('release files come from the server itself or the default’s host', () => {
  const own = createReleaseWeb('http://127.0.0.1:9000/api/', createOutboundAllow([]))
  assert.equal(own.apiUrl('/repos/a'), 'http://127.0.0.1:9000/api/repos/a')
  assert.equal(own.isFileUrl('http://127.0.0.1:9000/files/x'), true)
  assert.equal(own.isFileUrl('http://127.0.0.1:9001/files/x'), false)
  assert.equal(own.isFileUrl('https://github.com/yt-dlp/yt-dlp/releases/download/x'), true)
  assert.equal(own.isFileUrl('https://github.com.evil.example/x'), false)
  const usual = createReleaseWeb(undefined, createOutboundAllow([]))
  assert.equal(usual.apiUrl('/repos/a'), 'https://api.github.com/repos/a')
  assert.equal(usual.isFileUrl('http://github.com/x'), false)
  assert.equal(usual.isFileUrl('nonsense'), false)
})
