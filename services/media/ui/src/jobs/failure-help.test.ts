import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpFor } from './failure-help.ts'

const failed = (message: string) => helpFor({ message, platform: 'instagram', status: 'error' })

test('a failure that needs a sign-in leads to the cookies of its platform', () => {
  const help = failed('The platform shows this only to signed-in users; add or renew its cookies in the settings')
  assert.deepEqual(help.link, { label: 'Cookies of Instagram', href: '/settings?tab=cookies&platform=instagram' })
  assert.equal(help.retry, true)
})

test('limits, tools and passing trouble each have their own way out', () => {
  assert.equal(failed('This is larger than the settings allow').link?.href, '/settings')
  assert.equal(failed('It took longer than the settings allow').link?.href, '/settings')
  assert.equal(failed('yt-dlp cannot read this page any more; update it').link?.href, '/settings?tab=tools')
  assert.deepEqual(failed('The platform cannot be reached: timed out').link, undefined)
  const offline = failed('The platform cannot be reached: no connection could be made; check the internet connection')
  assert.deepEqual([offline.link, offline.retry], [undefined, true])
})

test('what is gone is not tried again, and what nobody knows is', () => {
  assert.equal(failed('This is not there, or not any more').retry, false)
  assert.equal(failed('The download failed: odd').retry, true)
  assert.equal(helpFor({ message: 'Cancelled', platform: 'youtube', status: 'cancelled' }).retry, true)
})
