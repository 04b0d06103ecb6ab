import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { temporaryDirectory } from '@hearth/testing'
import { openEgressProxy } from '../tools/egress-proxy.ts'
import { readMediaUrl } from './media-url.ts'
import { createPlatformHosts, extractorsOf } from './platform-hosts.ts'
import { Platform } from './schema.ts'

const hosts = createPlatformHosts()

const pasted = [
  'https://music.youtube.com/watch?v=dQw4w9WgXcQ&list=PL123',
  'https://www.youtube.com/live/dQw4w9WgXcQ',
  'https://m.tiktok.com/@some.user/video/7234567890123456789',
  'https://www.tiktok.com/embed/v2/7234567890123456789',
  'https://www.instagram.com/reels/CxYz_-12345/',
  'https://instagr.am/tv/CxYz_-12345',
  'https://m.facebook.com/watch/?v=1234567890',
  'https://www.facebook.com/reel/1234567890',
  'https://www.facebook.com/a.page/videos/some-title/1234567890',
  'https://www.facebook.com/groups/some.group/permalink/1234567890/',
  'https://m.facebook.com/story.php?story_fbid=1234567890&id=987654321',
]

/** Answers of yt-dlp about addresses when it may use these extractors and reaches nothing. */
async function tryAddresses(extractors: readonly string[], urls: readonly string[]): Promise<string> {
  await using folder = await temporaryDirectory('extractors')
  const policy = createOutboundPolicy(createOutboundAllow([]), { resolver: async () => [] })
  await using proxy = await openEgressProxy({ policy })
  const options = ['--ignore-config', '--no-plugin-dirs', '--no-cache-dir', '--ignore-errors', '--simulate']
  const retries = ['--retries', '0', '--extractor-retries', '0', '--proxy', proxy.url]
  const child = spawn('yt-dlp', [...options, ...retries, '--use-extractors', extractors.join(','), '--', ...urls], {
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return stdout + stderr
}

test('exactly the addresses of the platform match its yt-dlp extractors', async () => {
  const allowed = Platform.options.flatMap((platform) => extractorsOf[platform])
  const urls = pasted.map((address) => readMediaUrl(address, hosts))
  const said = await tryAddresses(allowed, [...urls.map(({ url }) => url), 'https://example.org/video.mp4'])
  for (const { url, platform } of urls) {
    const extractor = new RegExp(`^\\[(\\S+)\\] Extracting URL: ${RegExp.escape(url)}$`, 'm')
      .exec(said)?.[1]
      ?.toLowerCase()
    assert(extractor !== undefined && hosts.extractorsFor(platform, url).includes(extractor), `${url}\n${said}`)
  }
  assert.equal(said.match(/No suitable extractor/g)?.length, 1, said)
})

test('the generic extractor is used only for hosts that the operator added', () => {
  for (const platform of Platform.options) {
    const added = createPlatformHosts([{ platform, host: 'videos.home', port: undefined }])
    assert.equal(extractorsOf[platform].includes('generic'), false)
    assert.deepEqual(added.extractorsFor(platform, 'https://videos.home/a'), ['generic', 'html5'])
  }
})
