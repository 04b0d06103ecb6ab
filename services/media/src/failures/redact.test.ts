import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redact } from './redact.ts'

test('a report keeps what happened and loses what opens a door', () => {
  const output = `
[debug] Command-line config: ['--cookies=/data/work/ab/cookies.txt', '--proxy=http://user:pw1@127.0.0.1:4711']
Cookie: SID=geheim1; HSID=geheim2
Authorization: Bearer geheim3
[youtube] dQw4w9WgXcQ: Downloading webpage
https://rr3.googlevideo.com/videoplayback?expire=1&ip=203.0.113.9&sig=geheim4
https://cdn.example/v/AbCdEf0123456789AbCdEf0123456789AbCdEf/file.mp4
{"access_token": "geheim5", "visitor_data": "geheim6"}
File "/usr/lib/python3/dist-packages/yt_dlp/extractor/common.py", line 12
mailto ada@example.org from 2001:db8:0:0::7
ERROR: [youtube] dQw4w9WgXcQ: Sign in to confirm you’re not a bot. yt-dlp 2026.08.19`
  const text = redact(output)
  for (const secret of [
    'geheim',
    'pw1',
    'user:',
    '203.0.113',
    '127.0.0.1',
    '/data',
    '/usr',
    'ada@',
    '2001:db8',
    'AbCdEf0',
  ])
    assert.ok(!text.includes(secret), `${secret} in ${text}`)
  for (const kept of [
    '[youtube] dQw4w9WgXcQ: Downloading webpage',
    'https://rr3.googlevideo.com/videoplayback',
    'line 12',
    'Sign in to confirm you’re not a bot. yt-dlp 2026.08.19',
  ])
    assert.ok(text.includes(kept), `${kept} not in ${text}`)
})

test('redacting twice changes nothing more', () => {
  const text = redact('Cookie: a=b\nhttps://a.example/x?token=1 /etc/passwd/x password=hunter2')
  assert.equal(redact(text), text)
})

test('a long output takes no long time', () => {
  const begun = performance.now()
  redact('a-1/b.c:'.repeat(2000) + 'x'.repeat(8000) + '1:'.repeat(4000))
  assert.ok(performance.now() - begun < 1000)
})
