import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpSteps, systemOf } from './set-up-steps.ts'

test('the system is found from what browsers say', () => {
  const found = (userAgent: string, maxTouchPoints = 0) => systemOf({ userAgent, maxTouchPoints })
  assert.equal(found('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15', 5), 'ios')
  assert.equal(found('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15', 5), 'ios')
  assert.equal(found('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'), 'macos')
  assert.equal(found('Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36', 5), 'android')
  assert.equal(found('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36'), 'windows')
  assert.equal(found('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'), 'linux')
})

test('the steps for Linux name the file and the tunnel', () => {
  const steps = setUpSteps('linux', 'Ada-s-phone.conf').join('\n')
  assert.match(steps, /~\/Downloads\/Ada-s-phone\.conf \/etc\/wireguard\//)
  assert.match(steps, /wg-quick up Ada-s-phone$/)
})
