import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpFor } from './failure-help.ts'

const failed = (message: string) => helpFor({ message, platform: 'instagram', status: 'error' })

test('a failure that needs a sign-in links to the cookies of its platform', () => {
  const help = failed('The platform shows this only to signed-in users; add or renew its cookies in the settings')
  assert.deepEqual(help.link, { label: 'Cookies of Instagram', href: '/settings?tab=cookies&platform=instagram' })
})

test('limits, tools and passing failures each have their own help', () => {
  assert.equal(failed('This is larger than the settings allow').link?.href, '/settings')
  assert.equal(failed('It took longer than the settings allow').link?.href, '/settings')
  assert.equal(failed('yt-dlp cannot read this page any more; update it').link?.href, '/settings?tab=tools')
  assert.deepEqual(failed('The platform cannot be reached: timed out').link, undefined)
  const offline = failed('The platform cannot be reached: no connection could be made; check the internet connection')
  assert.equal(offline.link, undefined)
})

test('a retry is suggested for what is not known or was cancelled, and not for what is gone', () => {
  assert.match(failed('This is not there, or not any more').text, /^It was deleted/)
  assert.equal(failed('The download failed: odd').text, 'Trying again may help.')
  assert.match(helpFor({ message: 'Cancelled', platform: 'youtube', status: 'cancelled' }).text, /taken up again/)
})
