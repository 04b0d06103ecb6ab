import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createSharePages, type Offer } from './share-page.ts'

const offer: Offer = {
  title: 'A song',
  fileName: 'A song.mp3',
  type: 'audio',
  sizeBytes: 5_452_595,
  durationMs: 3_725_400,
  expiresAt: Date.UTC(2026, 10, 30, 12),
  isPlayable: true,
}

test('the page describes the file, with a paused player and a button', () => {
  const html = createSharePages().offer(offer)
  assert.match(html, /<h1>A song<\/h1>\n<p>Audio · 1:02:05 · 5\.2 MiB · available until 2026-11-30<\/p>/)
  assert.match(html, /<audio controls preload="none" src="\?download=1"/)
  assert.match(html, /<a href="\?download=1" download="A song\.mp3"/)
  const film = {
    ...offer,
    type: 'video',
    isPlayable: false,
    durationMs: null,
    expiresAt: null,
    sizeBytes: 900,
  } as const
  const other = createSharePages().offer(film)
  assert.match(other, /<p>Video · 900 B<\/p>/)
  assert.doesNotMatch(other, /<video|<audio/)
})

test('an untrusted title is shown as text', () => {
  const title = `</title><script>alert(1)</script>"'&amp;<img src=x onerror=y>`
  const html = createSharePages().offer({ ...offer, title, fileName: title })
  assert.doesNotMatch(html, /<script|<img/)
  assert.match(html, /&lt;\/title&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;amp;/)
})

test('the page’s policy allows only its own style and the file', () => {
  const pages = createSharePages()
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(pages.nothing) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  assert.ok(pages.policy.includes(`style-src 'sha256-${hash}'`))
  assert.ok(pages.policy.includes("default-src 'none'"))
  for (const html of [pages.nothing, pages.offer(offer)]) assert.doesNotMatch(html, /https?:|url\(|@import|style="/)
})
