import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signAws } from './aws-signature.ts'

test('a request is signed as in the test suite of AWS', () => {
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
  const signed = signAws(keys, {
    method: 'GET',
    url: new URL('https://example.amazonaws.com/'),
    body: '',
    now: Date.UTC(2015, 7, 30, 12, 36),
    region: 'us-east-1',
    service: 'service',
  })
  assert.equal(signed['x-amz-date'], '20150830T123600Z')
  assert.match(
    signed['authorization'] ?? '',
    /Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31$/,
  )
})
