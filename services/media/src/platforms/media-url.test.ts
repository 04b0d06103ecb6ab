import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { MediaUrlError, readMediaUrl, type MediaUrlErrorCode } from './media-url.ts'
import { createPlatformHosts } from './platform-hosts.ts'

const hosts = createPlatformHosts()
const read = (text: string) => readMediaUrl(text, hosts)
const faultOf = (text: string, known = hosts): MediaUrlErrorCode | undefined => {
  try {
    readMediaUrl(text, known)
    return undefined
  } catch (error) {
    assert(error instanceof MediaUrlError, String(error))
    return error.fault
  }
}

const watch = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
const tiktok = '/video/7234567890123456789'

/** Address as pasted, address as fetched, key. */
const videos: [string, string, string][] = [
  ...[
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://youtube.com/watch?v=dQw4w9WgXcQ&list=PL123&index=4&t=42s',
    'https://m.youtube.com/watch/?app=desktop&v=dQw4w9WgXcQ#t=1',
    'https://music.youtube.com/watch?v=dQw4w9WgXcQ&si=x',
    'https://www.youtube.com/shorts/dQw4w9WgXcQ?feature=share',
    'https://www.youtube.com/embed/dQw4w9WgXcQ/',
    'https://www.youtube.com/v/dQw4w9WgXcQ',
    'https://www.youtube.com/live/dQw4w9WgXcQ?si=x',
    'https://youtu.be/dQw4w9WgXcQ?t=3',
    'HTTPS://YouTu.be:443/dQw4w9WgXcQ',
    'https://ｙｏｕｔｕｂｅ.com/watch?v=dQw4w9WgXcQ',
  ].map((text): [string, string, string] => [text, watch, 'youtube:dQw4w9WgXcQ']),
  ['https://youtu.be/-_-_-_-_-_-', 'https://www.youtube.com/watch?v=-_-_-_-_-_-', 'youtube:-_-_-_-_-_-'],
  ...['@some.user_1', '@a'].map((user): [string, string, string] => [
    `https://m.tiktok.com/${user}${tiktok}?is_from_webapp=1&_r=1`,
    `https://www.tiktok.com/${user}${tiktok}`,
    'tiktok:7234567890123456789',
  ]),
  ...['embed', 'embed/v2', 'share/video'].map((path): [string, string, string] => [
    `https://tiktok.com/${path}/7234567890123456789`,
    `https://www.tiktok.com/@_${tiktok}`,
    'tiktok:7234567890123456789',
  ]),
  ['https://www.instagram.com/p/CxYz_-12345/', 'https://www.instagram.com/p/CxYz_-12345/', 'instagram:CxYz_-12345'],
  [
    'https://instagram.com/reel/CxYz_-12345?igsh=x',
    'https://www.instagram.com/reel/CxYz_-12345/',
    'instagram:CxYz_-12345',
  ],
  [
    'https://www.instagram.com/reels/CxYz_-12345/',
    'https://www.instagram.com/reel/CxYz_-12345/',
    'instagram:CxYz_-12345',
  ],
  ['https://instagr.am/tv/CxYz_-12345', 'https://www.instagram.com/tv/CxYz_-12345/', 'instagram:CxYz_-12345'],
  [
    'https://www.instagram.com/a.user/p/CxYz_-12345/',
    'https://www.instagram.com/p/CxYz_-12345/',
    'instagram:CxYz_-12345',
  ],
  [
    'https://www.instagram.com/a.user/reel/CxYz_-12345/',
    'https://www.instagram.com/reel/CxYz_-12345/',
    'instagram:CxYz_-12345',
  ],
  [
    'https://www.facebook.com/watch?v=1234567890',
    'https://www.facebook.com/watch/?v=1234567890',
    'facebook:1234567890',
  ],
  [
    'https://m.facebook.com/watch/?v=1234567890&ref=x',
    'https://www.facebook.com/watch/?v=1234567890',
    'facebook:1234567890',
  ],
  [
    'https://facebook.com/video.php?v=1234567890',
    'https://www.facebook.com/watch/?v=1234567890',
    'facebook:1234567890',
  ],
  ['https://www.facebook.com/reel/1234567890?s=x', 'https://www.facebook.com/reel/1234567890', 'facebook:1234567890'],
  [
    'https://web.facebook.com/a.page/videos/1234567890/',
    'https://www.facebook.com/a.page/videos/1234567890/',
    'facebook:1234567890',
  ],
  [
    'https://www.facebook.com/a.page/videos/some-title/1234567890',
    'https://www.facebook.com/a.page/videos/1234567890/',
    'facebook:1234567890',
  ],
  [
    'https://www.facebook.com/groups/some.group/permalink/1234567890/',
    'https://www.facebook.com/groups/some.group/posts/1234567890/',
    'facebook:1234567890',
  ],
  [
    'https://www.facebook.com/groups/42424242/posts/1234567890/?x=y',
    'https://www.facebook.com/groups/42424242/posts/1234567890/',
    'facebook:1234567890',
  ],
  [
    'https://m.facebook.com/story.php?story_fbid=1234567890&id=987654321&m_entstream_source=x',
    'https://www.facebook.com/story.php?story_fbid=1234567890&id=987654321',
    'facebook:1234567890',
  ],
  [
    'https://www.facebook.com/permalink.php?id=987654321&story_fbid=pfbid02abcDEF',
    'https://www.facebook.com/permalink.php?story_fbid=pfbid02abcDEF&id=987654321',
    'facebook:pfbid02abcDEF',
  ],
]

test('every form of a video URL maps to one address and key', () => {
  for (const [text, url, key] of videos) {
    const expected = { platform: key.split(':')[0], url, key, isShortLink: false, isExtra: false }
    assert.deepEqual(read(text), expected, text)
    assert.deepEqual(read(url), expected, `${url} again`)
  }
})

test('short links are recognised', () => {
  const links: [string, string][] = [
    ['https://vm.tiktok.com/ZMabc123/', 'https://vm.tiktok.com/ZMabc123/'],
    ['https://vt.tiktok.com/ZSabc123?k=1', 'https://vt.tiktok.com/ZSabc123/'],
    ['https://www.tiktok.com/t/ZTabc123/', 'https://www.tiktok.com/t/ZTabc123/'],
    ['https://m.tiktok.com/t/ZTabc123', 'https://www.tiktok.com/t/ZTabc123/'],
    ['https://www.instagram.com/share/reel/BAabc123', 'https://www.instagram.com/share/reel/BAabc123/'],
    ['https://www.instagram.com/share/BAabc123', 'https://www.instagram.com/share/BAabc123/'],
    ['https://fb.watch/abc_123/', 'https://fb.watch/abc_123/'],
    ['https://fb.gg/v/abc_123', 'https://fb.gg/v/abc_123/'],
    ['https://www.facebook.com/share/v/1Abc23/?mibextid=x', 'https://www.facebook.com/share/v/1Abc23/'],
    ['https://m.facebook.com/share/r/1Abc23/', 'https://www.facebook.com/share/r/1Abc23/'],
  ]
  for (const [text, url] of links) {
    const found = read(text)
    assert.deepEqual([found.url, found.isShortLink], [url, true], text)
    assert.equal(found.key, `${found.platform}:${url.slice('https://'.length, -1)}`)
  }
})

test('damage from pasting an address is repaired', () => {
  const texts = [
    `  ${watch}\n`,
    `\u200B${watch}\uFEFF`,
    'https://www.you\u200Dtube.com/watch?v=dQw4w9\u2060WgXcQ',
    'https://www.youtube.com/watch?list=x&amp;v=dQw4w9WgXcQ&amp;t=1',
    'https://www.youtube.com/watch?list=x&amp;amp;v=dQw4w9WgXcQ',
  ]
  for (const text of texts) assert.equal(read(text).url, watch, text)
})

test('every refusal says what is wrong', () => {
  const refusals: [MediaUrlErrorCode, string[]][] = [
    ['missing', ['', '   ', '\u200B\u200B', '\n']],
    ['too-long', [`${watch}&x=${'y'.repeat(2048)}`, 'x'.repeat(1_000_000)]],
    [
      'not-https',
      [
        'http://www.youtube.com/watch?v=dQw4w9WgXcQ',
        'www.youtube.com/watch?v=dQw4w9WgXcQ',
        'ftp://youtu.be/dQw4w9WgXcQ',
        'javascript:alert(1)',
        'file:///etc/passwd',
        '//youtu.be/dQw4w9WgXcQ',
        '--exec=id',
        'ytsearch:cats',
      ],
    ],
    [
      'unreadable',
      [
        'https://',
        'https:youtu.be/dQw4w9WgXcQ',
        'https:/youtu.be/dQw4w9WgXcQ',
        'https:///youtu.be/dQw4w9WgXcQ',
        'https://[/',
        'https://you tube.com/watch?v=dQw4w9WgXcQ',
        'https:\\\\www.youtube.com\\watch?v=dQw4w9WgXcQ',
        'https://www.youtube.com\\@10.0.0.1/watch?v=dQw4w9WgXcQ',
        'https://youtu.be/dQw4w9\tWgXcQ',
        'https://youtu.be/dQw4w9\u0000WgXcQ',
        'https://youtu.be/dQw4w9\nWgXcQ',
        'https://youtu.be:99999/dQw4w9WgXcQ',
        'https://you%00tube.com/',
      ],
    ],
    ['credentials', ['https://user@youtu.be/dQw4w9WgXcQ', 'https://u:p@youtu.be/x', 'https://@youtu.be/dQw4w9WgXcQ']],
    ['port', ['https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ', 'https://youtu.be:80/dQw4w9WgXcQ']],
    [
      'host',
      [
        'https://127.0.0.1/watch?v=dQw4w9WgXcQ',
        'https://2130706433/',
        'https://0x7f.1/',
        'https://[::1]/',
        'https://localhost/watch?v=dQw4w9WgXcQ',
        'https://youtube.localhost/',
        'https://nas/',
        'https://www.youtube.com./watch?v=dQw4w9WgXcQ',
      ],
    ],
    [
      'unsupported-platform',
      [
        'https://example.org/watch?v=dQw4w9WgXcQ',
        'https://youtube.com.example.org/watch?v=dQw4w9WgXcQ',
        'https://notyoutube.com/watch?v=dQw4w9WgXcQ',
        'https://evil.youtube.com/watch?v=dQw4w9WgXcQ',
        'https://evil.facebook.com/watch?v=1234567890',
        'https://youtubе.com/watch?v=dQw4w9WgXcQ', // a Cyrillic letter
      ],
    ],
    [
      'not-a-video',
      [
        'https://www.youtube.com/',
        'https://www.youtube.com/watch',
        'https://www.youtube.com/watch?v=short',
        'https://www.youtube.com/watch?v=dQw4w9WgXcQQ',
        'https://www.youtube.com/watch?v=dQw4w9WgXcQ&v=aaaaaaaaaaa',
        'https://www.youtube.com/watch?v=dQw4w9WgXc%2F',
        'https://www.youtube.com/playlist?list=PL123',
        'https://www.youtube.com/@channel',
        'https://www.youtube.com/embed/videoseries?list=PL123',
        'https://www.youtube.com/embed/live_stream?channel=x',
        'https://www.youtube.com/redirect?q=https://example.org',
        'https://youtu.be/',
        'https://youtu.be/watch?v=dQw4w9WgXcQ',
        'https://www.tiktok.com/@user',
        'https://www.tiktok.com/@user/video/1234567',
        'https://www.tiktok.com/@a-user-name-of-25-letters/video/7234567890123456789',
        'https://www.tiktok.com/@user/live',
        'https://vm.tiktok.com/@user/video/7234567890123456789',
        'https://www.instagram.com/some.user/',
        'https://www.instagram.com/p/CxYz_-12345/embed/',
        'https://www.instagram.com/reels/audio/',
        'https://www.instagram.com/reels/audio/1234567890/',
        'https://www.instagram.com/p/reel/CxYz_-12345/',
        'https://www.instagram.com/stories/user/1234567890/',
        'https://www.facebook.com/watch?v=12345',
        'https://www.facebook.com/some.page',
        'https://www.facebook.com/plugins/video.php?href=http://10.0.0.1/',
        'https://www.facebook.com/flx/warn/?u=http://10.0.0.1/',
        'https://www.facebook.com/l.php?u=https://example.org',
        'https://fb.watch/',
      ],
    ],
    ['photo-post', ['https://www.tiktok.com/@user/photo/7234567890123456789']],
  ]
  for (const [fault, texts] of refusals) for (const text of texts) assert.equal(faultOf(text), fault, text)
})

test('operator-added hosts accept any path, http and their port', () => {
  const known = createPlatformHosts([
    { platform: 'youtube', host: '127.0.0.1', port: 9000 },
    { platform: 'tiktok', host: 'media.home', port: undefined },
    { platform: 'tiktok', host: '::1', port: 8080 },
    { platform: 'facebook', host: 'plain.home', port: 80 },
  ])
  const found = readMediaUrl('http://127.0.0.1:9000/some/file.mp4?a=b#c', known)
  assert.deepEqual(found, {
    platform: 'youtube',
    url: 'http://127.0.0.1:9000/some/file.mp4?a=b',
    key: 'youtube:http://127.0.0.1:9000/some/file.mp4?a=b',
    isShortLink: false,
    isExtra: true,
  })
  for (const text of ['http://media.home/x', 'https://media.home/x', 'http://[::1]:8080/', 'http://plain.home/x'])
    assert.equal(readMediaUrl(text, known).isExtra, true, text)
  const refusals: [string, MediaUrlErrorCode][] = [
    ['http://127.0.0.1:9001/', 'not-https'],
    ['https://127.0.0.1:9001/', 'host'],
    ['http://user@media.home/', 'credentials'],
    ['https://media.home:8443/', 'port'],
    ['https://media.home./', 'host'],
    ['https://sub.media.home/', 'unsupported-platform'],
    ['https://plain.home/', 'unsupported-platform'],
    ['http://media.home/a b', 'unreadable'],
  ]
  for (const [text, fault] of refusals) assert.equal(faultOf(text, known), fault, text)
})

test('every accepted URL becomes a clean https address of the platform', () => {
  const pieces = fc.constantFrom(
    ...videos.map(([text]) => text),
    'https://',
    'youtu.be',
    'www.youtube.com',
    '/watch?v=',
    'dQw4w9WgXcQ',
    '@',
    ':',
    '/',
    '\\',
    '%00',
    '?',
    '#',
    '.',
    '10.0.0.1',
  )
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 6 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      if (faultOf(text) !== undefined) return
      const { url } = read(text)
      assert.match(
        url,
        /^https:\/\/(?:www\.(?:youtube|tiktok|instagram|facebook)\.com|v[mt]\.tiktok\.com|fb\.(?:watch|gg))\/[\w@./?=&%-]+$/,
      )
      assert.equal(new URL(url).href, url)
    }),
    { numRuns: 2000 },
  )
})
