import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeUserAgent } from './describe-user-agent.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test('a device is named by browser and system, a program by its product, and nothing by nothing', () => {
  const cases: [string, string | null][] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webKit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['curl/8.5.0', 'curl'],
    ['Mozilla/5.0', null],
    ['', null],
  ]
  for (const [userAgent, name] of cases) assert.equal(describeUserAgent(userAgent), name, userAgent)
})
