import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readListUrl } from './list-url.ts'
import { MediaUrlError } from './media-url.ts'
import { createPlatformHosts } from './platform-hosts.ts'

const hosts = createPlatformHosts([{ platform: 'youtube', host: 'videos.home', port: undefined }])

test('addresses of playlists and channels are read, in one form for each', () => {
  for (const [pasted, url] of [
    [
      'https://youtube.com/playlist?list=PLrAXtmErZgOeiKm4&si=me',
      'https://www.youtube.com/playlist?list=PLrAXtmErZgOeiKm4',
    ],
    ['https://m.youtube.com/@some.one', 'https://www.youtube.com/@some.one/videos'],
    ['https://www.youtube.com/@some.one/featured', 'https://www.youtube.com/@some.one/videos'],
    ['https://www.youtube.com/@some.one/shorts/', 'https://www.youtube.com/@some.one/shorts'],
    [
      'https://www.youtube.com/channel/UCK8sQmJBp8GCxrOtXWBpyEA',
      'https://www.youtube.com/channel/UCK8sQmJBp8GCxrOtXWBpyEA/videos',
    ],
    ['https://m.tiktok.com/@some.user?lang=de', 'https://www.tiktok.com/@some.user'],
    ['https://www.instagram.com/some.user/', 'https://www.instagram.com/some.user/'],
    ['http://videos.home/feed?x=1#part', 'http://videos.home/feed?x=1'],
  ] as const)
    assert.equal(readListUrl(pasted, hosts).url, url)
})

test('what is no list is refused with the reason', () => {
  for (const [pasted, fault] of [
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'not-a-list'],
    ['https://youtu.be/dQw4w9WgXcQ', 'not-a-list'],
    ['https://www.youtube.com/playlist?list=a&list=PLrAXtmErZgOeiKm4', 'not-a-list'],
    ['https://www.instagram.com/reels/', 'not-a-list'],
    ['https://www.facebook.com/some.page', 'no-lists'],
    ['https://example.org/@user', 'unsupported-platform'],
    ['http://www.youtube.com/@user', 'not-https'],
  ] as const)
    assert.throws(
      () => readListUrl(pasted, hosts),
      (error) => error instanceof MediaUrlError && error.fault === fault,
      pasted,
    )
})
