import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createSharePages, type Offer, type OfferedFile } from './share-page.ts'

const file: OfferedFile = {
  position: 1,
  title: 'A song',
  fileName: 'A song.mp3',
  type: 'audio',
  sizeBytes: 5_452_595,
  durationMs: 3_725_400,
  isPlayable: true,
  hasPicture: true,
}
const offer: Offer = {
  name: null,
  token: 'AbCd-_12',
  files: [file],
  expiresAt: Date.UTC(2026, 10, 30, 12),
  previewBase: 'https://files.example.org',
}

test('the page of one file has its title, picture, player and wave, and a button', () => {
  const html = createSharePages().offer(offer)
  assert.match(html, /<title>A song<\/title>/)
  assert.match(html, /<h1>A song<\/h1>\n<p>Audio · 1:02:05 · 5\.2 MiB · available until 2026-11-30<\/p>/)
  assert.match(html, /<img src="AbCd-_12\/1\.jpg" alt=""/)
  assert.match(html, /<div class="wave" data-wave="AbCd-_12\/1\.json" hidden>/)
  assert.match(html, /<audio controls preload="none" src="AbCd-_12\/1"/)
  assert.match(html, /<a href="AbCd-_12\/1" download="A song\.mp3"/)
  const film = {
    ...file,
    type: 'video',
    isPlayable: false,
    durationMs: null,
    sizeBytes: 900,
    hasPicture: false,
  } as const
  const other = createSharePages().offer({ ...offer, name: 'For you', files: [film], expiresAt: null })
  assert.match(other, /<h1>For you<\/h1>\n<p>A song<\/p>\n<p>Video · 900 B<\/p>/)
  assert.doesNotMatch(other, /<video|<audio|<img/)
})

test('the page of several files lists them in their order, under the addresses they keep', () => {
  const files = [file, { ...file, position: 3, title: 'A film', type: 'video', sizeBytes: null } as const]
  const html = createSharePages().offer({ ...offer, files })
  assert.match(html, /<h1>2 files<\/h1>\n<p>available until 2026-11-30<\/p>/)
  assert.deepEqual(
    Array.from(html.matchAll(/<h2>(.*?)<\/h2>\n<p>(.*?)<\/p>/g), ([, title, facts]) => [title, facts]),
    [
      ['A song', 'Audio · 1:02:05 · 5.2 MiB'],
      ['A film', 'Video · 1:02:05'],
    ],
  )
  // A film has its picture in the player.
  assert.match(html, /<video controls preload="none" src="AbCd-_12\/3" poster="AbCd-_12\/3\.jpg"/)
  assert.equal(html.match(/<img/g)?.length, 1)
  assert.match(html, /<a href="AbCd-_12\/all\.zip" download rel="nofollow">Download all<\/a>/)
  assert.match(createSharePages().offer({ ...offer, name: 'Demo', files }), /<title>Demo<\/title>/)
})

test('messages show a link with its title and picture, but not one with a password', () => {
  const html = createSharePages().offer(offer)
  assert.match(html, /<meta property="og:title" content="A song">/)
  assert.match(html, /<meta property="og:image" content="https:\/\/files\.example\.org\/share\/AbCd-_12\/1\.jpg">/)
  assert.doesNotMatch(createSharePages().offer({ ...offer, previewBase: undefined }), /og:|https:/)
})

test('an untrusted title is shown as text', () => {
  const title = `</title><script>alert(1)</script>"'&amp;<img src=x onerror=y>`
  const hostile = { ...file, title, fileName: title, hasPicture: false }
  for (const html of [
    createSharePages().offer({ ...offer, files: [hostile] }),
    createSharePages().offer({ ...offer, name: title, files: [hostile, hostile] }),
  ]) {
    assert.deepEqual(html.match(/<script/g)?.length, 1)
    assert.doesNotMatch(html, /<img|alert\(1\)<\/script>/)
    assert.match(html, /&lt;\/title&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;amp;/)
  }
})

test('the page of a password says what was wrong, and how long to wait', () => {
  const pages = createSharePages()
  assert.match(pages.password('abcdefgh'), /<form method="post" action="\/share\/abcdefgh">\n<label for="password">/)
  assert.doesNotMatch(pages.password('abcdefgh'), /role="alert"|aria-invalid/)
  assert.match(pages.password('abcdefgh', 'wrong'), /The password is wrong\./)
  assert.match(pages.password('abcdefgh', 1), /Try again in 1 second\./)
  assert.match(pages.password('abcdefgh', 32), /Try again in 32 seconds\./)
})

test('the policy allows the page’s own style and script and what lies below it, and nothing tells of the service', () => {
  const pages = createSharePages()
  const html = pages.offer({ ...offer, previewBase: undefined })
  for (const [element, directive] of [
    ['style', 'style-src'],
    ['script', 'script-src'],
  ] as const) {
    const [, text = ''] = new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 's').exec(html) ?? []
    const hash = createHash('sha256').update(text).digest('base64')
    assert.ok(text.length > 100 && pages.policy.includes(`${directive} 'sha256-${hash}'`), element)
  }
  assert.ok(pages.policy.includes("default-src 'none'"))
  assert.doesNotMatch(pages.policy, /unsafe/)
  for (const page of [pages.nothing, pages.password('abcdefgh', 'wrong'), html]) {
    assert.doesNotMatch(page, /@import|style="|\bon\w+="|src="\/|href="\//)
    assert.doesNotMatch(page, /hearth|\/api|\/assets|version|sign.?in|log.?in/i)
  }
})
