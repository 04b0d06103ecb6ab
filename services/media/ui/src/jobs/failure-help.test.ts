import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { helpFor, reasonText } from './failure-help.ts'

const url = 'https://www.instagram.com/p/aaaa/'
const failed = (error_code: string, message = '') =>
  helpFor({ message, error_code, platform: 'instagram', status: 'error', url })

test('a failure that needs a sign-in links to the cookies of its platform', () => {
  for (const code of ['login_required', 'bot_check', 'private'])
    assert.deepEqual(failed(code).remedy, {
      kind: 'link',
      label: 'Add cookies of Instagram',
      href: '/settings?tab=cookies&platform=instagram',
    })
})

test('limits, tools and passing failures each have their own help', () => {
  const hrefOf = (code: string) => {
    const { remedy } = failed(code)
    return remedy.kind === 'link' ? remedy.href : undefined
  }
  for (const code of ['too_large', 'timeout', 'memory', 'disk_full']) assert.equal(hrefOf(code), '/settings', code)
  assert.equal(hrefOf('tool_outdated'), '/settings?tab=tools')
  assert.equal(hrefOf('rate_limited'), '/settings?tab=cookies')
  const retry = { kind: 'retry', label: 'Try again' }
  for (const code of ['network', 'live', 'conversion']) assert.deepEqual(failed(code).remedy, retry, code)
  const offline = failed('network', 'The platform cannot be reached: no connection could be made; check the internet')
  assert.deepEqual(offline, { text: 'When it is connected again, try once more.', remedy: retry })
})

test('what is gone is looked for on the platform; what is not known or was cancelled is tried again', () => {
  const page = { kind: 'page', label: 'Look on Instagram', href: url }
  for (const code of ['removed', 'unsupported', 'geo_blocked']) assert.deepEqual(failed(code).remedy, page, code)
  assert.deepEqual(failed('odd'), { text: 'Trying again may help.', remedy: { kind: 'retry', label: 'Try again' } })
  const cancelled = helpFor({ message: 'Cancelled', error_code: null, platform: 'youtube', status: 'cancelled', url })
  assert.match(cancelled.text, /taken up again/)
})

test('every failure that the server tells of has words of its own', async () => {
  const source = await readFile(new URL('../../../src/tools/media-failure.ts', import.meta.url), 'utf8')
  const codes = Array.from(
    /const phrases = \{(.*?)\n\}/s.exec(source)?.[1]?.matchAll(/^ {2}(\w+):/gm) ?? [],
    ([, code]) => code ?? '',
  )
  assert.ok(codes.length > 15)
  for (const code of codes.filter((each) => each !== 'failed')) assert.notEqual(reasonText(code), 'failed', code)
})
