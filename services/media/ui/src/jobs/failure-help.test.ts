import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpFor } from './failure-help.ts'

const failed = (error_code: string, message = '') =>
  helpFor({ message, error_code, platform: 'instagram', status: 'error' })

test('a failure that needs a sign-in links to the cookies of its platform', () => {
  for (const code of ['login_required', 'bot_check', 'private'])
    assert.deepEqual(failed(code).link, {
      label: 'Add cookies of Instagram',
      href: '/settings?tab=cookies&platform=instagram',
    })
})

test('limits, tools and passing failures each have their own help', () => {
  assert.equal(failed('too_large').link?.href, '/settings')
  assert.equal(failed('timeout').link?.href, '/settings')
  assert.equal(failed('tool_outdated').link?.href, '/settings?tab=tools')
  assert.equal(failed('network', 'The platform cannot be reached: timed out').link, undefined)
  const offline = failed('network', 'The platform cannot be reached: no connection could be made; check the internet')
  assert.deepEqual(offline, { text: 'When it is connected again, try once more.' })
})

test('a retry is suggested for what is not known or was cancelled, and not for what is gone', () => {
  assert.match(failed('removed').text, /^It was deleted/)
  assert.equal(failed('odd').text, 'Trying again may help.')
  assert.match(
    helpFor({ message: 'Cancelled', error_code: null, platform: 'youtube', status: 'cancelled' }).text,
    /taken up again/,
  )
})
