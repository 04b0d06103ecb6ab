import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesIn, isListAddress, platformOf, sharedText } from './address-text.ts'

test('URLs are found in lines, sentences and without a scheme', () => {
  assert.deepEqual(
    addressesIn('https://youtu.be/abc\nhttps://www.tiktok.com/@a/video/123 \r\n\nhttps://youtu.be/abc'),
    ['https://youtu.be/abc', 'https://www.tiktok.com/@a/video/123'],
  )
  assert.deepEqual(addressesIn('Look (https://www.instagram.com/reel/Xy_1/), great!'), [
    'https://www.instagram.com/reel/Xy_1/',
  ])
  assert.deepEqual(addressesIn('m.youtube.com/watch?v=abc&t=3.'), ['https://m.youtube.com/watch?v=abc&t=3'])
  assert.deepEqual(addressesIn('https://youtu.be/a,https://youtu.be/b'), ['https://youtu.be/a', 'https://youtu.be/b'])
})

test('text without a URL is not one', () => {
  for (const text of ['', 'funny cats', 'me@youtube.com/x', 'https://', 'notyoutube.com/watch?v=1'])
    assert.deepEqual(addressesIn(text), [], text)
})

test('the platform is recognised by the host only', () => {
  assert.equal(platformOf('https://music.youtube.com/watch?v=1'), 'youtube')
  assert.equal(platformOf('https://vm.tiktok.com/ZM1/'), 'tiktok')
  assert.equal(platformOf('https://fb.watch/abc/'), 'facebook')
  assert.equal(platformOf('https://instagr.am/p/1/'), 'instagram')
  assert.equal(platformOf('https://evil.example/youtube.com'), undefined)
  assert.equal(platformOf('https://notyoutube.com/'), undefined)
})

test('a share menu brings an address as url or in a text', () => {
  const address = 'https://www.youtube.com/watch?app=m&v=a%26b#t=5'
  assert.equal(sharedText(`?title=A&url=${encodeURIComponent(address)}`), address)
  assert.equal(sharedText(`?title=A&text=${encodeURIComponent(`Look: ${address}`)}`), `Look: ${address}`)
  assert.equal(sharedText('?show=done'), '')
})

test('an address that was put behind ?url= as it is stays whole', () => {
  assert.equal(
    sharedText('?url=https://www.youtube.com/watch?app=m&v=a%26b'),
    'https://www.youtube.com/watch?app=m&v=a%26b',
  )
})

test('playlists and channels are told from single videos', () => {
  for (const address of [
    'https://www.youtube.com/playlist?list=PL1234567890',
    'https://www.youtube.com/@some.one',
    'https://m.youtube.com/channel/UC123/videos',
    'https://www.tiktok.com/@some.user',
    'https://www.instagram.com/some.user/',
    'http://videos.home/feed/new',
  ])
    assert.equal(isListAddress(address), true, address)
  for (const address of [
    'https://www.youtube.com/watch?v=abc&list=PL123',
    'https://youtu.be/@abcdefghij',
    'https://www.tiktok.com/@some.user/video/7234567890123456789',
    'https://www.instagram.com/reel/CxYz_-12345/',
    'https://www.instagram.com/reels/',
    'https://www.facebook.com/some.page',
    'http://videos.home/watch?v=1',
    'nonsense',
  ])
    assert.equal(isListAddress(address), false, address)
})
