import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatformHosts } from '../platforms/platform-hosts.ts'
import { readPictureUrl } from './fetch-picture.ts'

const hosts = createPlatformHosts([{ platform: 'youtube', host: 'videos.home', port: 8080 }])
const isTaken = (text: string) => readPictureUrl(text, hosts) !== undefined

test('only the platforms’ picture hosts are allowed, over https on the default port', () => {
  assert(isTaken('https://i.ytimg.com/vi/abc/hq720.jpg'))
  assert(isTaken('https://ytimg.com/a'))
  assert(isTaken('https://p16-sign.tiktokcdn-us.com/x.webp?x-expires=1'))
  assert(isTaken('https://scontent.cdninstagram.com:443/v/t51.jpg'))
  assert(isTaken('https://SCONTENT.xx.FBCDN.net/a.jpg'))
  for (const text of [
    'http://i.ytimg.com/vi/abc/hq720.jpg',
    'https://i.ytimg.com:8443/a',
    'https://notytimg.com/a',
    'https://ytimg.com.evil.example/a',
    'https://i.ytimg.com./a',
    'https://www.facebook.com/a.jpg',
    'https://user@i.ytimg.com/a',
    'https://evil.example/i.ytimg.com',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'file:///etc/passwd',
    'ftp://i.ytimg.com/a',
    'data:image/png;base64,AAAA',
    '//i.ytimg.com/a',
    '',
  ])
    assert(!isTaken(text), text)
})

test('an operator-added host counts with its port, over http too', () => {
  assert(isTaken('http://videos.home:8080/a.jpg'))
  assert(isTaken('https://videos.home:8080/a.jpg'))
  assert(!isTaken('http://videos.home/a.jpg'))
  assert(!isTaken('http://user:pw@videos.home:8080/a.jpg'))
  assert.equal(readPictureUrl('http://videos.home:8080/a.jpg#part', hosts)?.href, 'http://videos.home:8080/a.jpg')
})
