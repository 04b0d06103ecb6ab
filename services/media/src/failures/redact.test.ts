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

test('what stands in parts of addresses is found as well, and words stay', () => {
  const text = redact(`
https://cdn.example/ip/2a02%3A8071%3A1%3A%3A5/next
https://cdn.example/for%2F2a02%253A8071%253A%253A5
[debug] visitorData token: 'geheim1' po_token="geheim2" x.access-token = geheim3
my_very_long_session: geheim4; PASSWORD=geheim5&next=1
write to ada.lovelace+news@mail.example.org
key=AbCdEf0123456789AbCdEf0123456789AbCdEf a-long-name-made-of-many-words-without-a-number`)
  for (const secret of ['2a02', '8071', 'geheim', 'ada.', 'news@', 'AbCdEf0']) assert.ok(!text.includes(secret), text)
  for (const kept of ['/next', 'next=1', 'a-long-name-made-of-many-words-without-a-number'])
    assert.ok(text.includes(kept), `${kept} not in ${text}`)
})

test('a long output takes no long time, whatever it repeats', () => {
  const length = 8192
  const marks =
    'a-1/b.c:,x,1:,a,-,a.,a@,a@b.,1.1.,a%3A,%3A,/a,~/,token,x-,http://,http://a,cookie,",=,1,a1,+,A~,::,f:f,é,\n'
  for (const part of [...marks.split(','), 'token ', 'cookie: '])
    for (const text of [part.repeat(length / part.length), `token${part.repeat(length)}`.slice(0, length)]) {
      const begun = process.cpuUsage()
      redact(text)
      const took = process.cpuUsage(begun).user / 1000
      assert.ok(took < 250, `${JSON.stringify(text.slice(0, 20))} took ${Math.round(took)} ms`)
    }
  const begun = process.cpuUsage()
  redact(`token${' '.repeat(length)}`)
  redact(`cookie${' '.repeat(length)}`.repeat(2))
  redact(`http://${'a'.repeat(length)}`)
  assert.ok(process.cpuUsage(begun).user / 1000 < 250)
})
