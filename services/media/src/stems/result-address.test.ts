import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultAddress, stemBaseUrlSetting } from './result-address.ts'
import { StemServiceError } from './stem-service-error.ts'

const real = 'https://www.lalal.ai'

test('results are fetched from the service’s hosts over https', () => {
  for (const [given, used] of [
    ['https://d.lalal.ai/a?sig=1', 'https://d.lalal.ai/a?sig=1'],
    ['http://d.lalal.ai/a', 'https://d.lalal.ai/a'],
    ['http://d.lalal.ai:80/a', 'https://d.lalal.ai/a'],
    ['https://lalal.ai:443/a', 'https://lalal.ai/a'],
    ['https://a.b.lalal.ai/x', 'https://a.b.lalal.ai/x'],
    ['//storage.lalal.ai/x', 'https://storage.lalal.ai/x'],
  ] as const) {
    assert.equal(resultAddress(given, real, new URL('https://www.lalal.ai/')).href, used)
  }
})

test('results come from no other address', () => {
  for (const given of [
    'https://evil.example/a',
    'https://notlalal.ai/a',
    'https://lalal.ai.evil.example/a',
    'https://d.lalal.ai:8443/a',
    'http://d.lalal.ai:8080/a',
    'https://user:pass@d.lalal.ai/a',
    'https://169.254.169.254/latest',
    'http://127.0.0.1/a',
    'http://localhost/a',
    'https://d.lalal.ai@evil.example/a',
    'https://evil.example\\@d.lalal.ai/a',
    'ftp://d.lalal.ai/a',
    'file:///etc/passwd',
    'data:audio/mpeg;base64,AA',
    'not an address',
    '',
  ]) {
    const refused = (error: unknown) => error instanceof StemServiceError && error.kind === 'upstream'
    assert.throws(() => resultAddress(given, real), refused, given)
  }
})

test('a custom base address may serve results itself, but not from another port', () => {
  const own = 'http://127.0.0.1:9000'
  assert.equal(resultAddress('http://127.0.0.1:9000/r', own).href, 'http://127.0.0.1:9000/r')
  assert.equal(resultAddress('http://d.lalal.ai/r', own).href, 'https://d.lalal.ai/r')
  for (const given of ['http://127.0.0.1:9001/r', 'https://127.0.0.1:9000/r', 'http://127.0.0.1/r']) {
    assert.throws(() => resultAddress(given, own), StemServiceError, given)
  }
})

test('the base address must be https, or http on this machine', () => {
  assert.equal(stemBaseUrlSetting.parse(undefined), 'https://www.lalal.ai')
  assert.equal(stemBaseUrlSetting.parse('http://127.0.0.1:9000/'), 'http://127.0.0.1:9000')
  assert.equal(stemBaseUrlSetting.parse('https://proxy.example/lalal/'), 'https://proxy.example/lalal')
  for (const wrong of [
    'http://proxy.example',
    'ftp://x',
    'lalal.ai',
    'https://u:p@lalal.ai',
    'https://lalal.ai/?a=b',
  ]) {
    assert.equal(stemBaseUrlSetting.safeParse(wrong).success, false, wrong)
  }
})
