import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { temporaryDirectory } from '@hearth/testing'
import { MediaFailure } from './media-failure.ts'
import { openToolbox } from './toolbox.ts'

const addresses = {
  youtube: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ',
  tiktok: 'https://www.tiktok.com/@a/video/7106594312292453675',
  instagram: 'https://www.instagram.com/p/aye83DjauH/',
  facebook: 'https://www.facebook.com/reel/1195289147628387',
} as const

test('without an internet connection the failure says so and does not suggest updating yt-dlp', async () => {
  await using folder = await temporaryDirectory()
  // The policy is the only way out of the tools: this one finds no address for any name.
  const policy = createOutboundPolicy(createOutboundAllow([]), { resolver: () => Promise.resolve([]) })
  const shared = { dataDirectory: folder.path, ffmpegPath: undefined, policy }
  const tools = openToolbox({ ...shared, ytDlpProgram: () => Promise.resolve('/usr/bin/yt-dlp') })
  try {
    for (const [platform, url] of Object.entries(addresses)) {
      const request = { url, extractors: [platform, `${platform}:reel`], signal: new AbortController().signal }
      const directory = join(folder.path, platform)
      const failure: unknown = await tools.ytDlp
        .download({
          ...request,
          type: 'audio',
          quality: 'max',
          isCompatible: false,
          fragments: 1,
          directory,
          timeoutMs: 120_000,
          maxBytes: 1e9,
          onProgress: () => undefined,
          onFacts: () => undefined,
        })
        .catch((error: unknown) => error)
      assert.ok(failure instanceof MediaFailure, platform)
      assert.equal(failure.code, 'network', `${platform}: ${failure.message}`)
      assert.match(failure.message, /^The platform cannot be reached: .*internet connection/)
    }
  } finally {
    tools.close()
  }
})
