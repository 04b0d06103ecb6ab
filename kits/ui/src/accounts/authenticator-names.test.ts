import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeAuthenticator, proposeDeviceName } from './authenticator-names.ts'

const zeros = '00000000-0000-0000-0000-000000000000'

test('a passkey shows its provider or its transport', () => {
  const apple = { aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', transports: ['internal', 'hybrid'] }
  assert.equal(describeAuthenticator(apple), 'Apple Passwords')
  assert.equal(describeAuthenticator({ aaguid: zeros, transports: ['usb', 'nfc'] }), 'USB, NFC')
  assert.equal(describeAuthenticator({ aaguid: zeros, transports: ['internal'] }), 'This device')
  assert.equal(describeAuthenticator({ aaguid: zeros, transports: ['of tomorrow'] }), 'Unknown device')
})

test('a new passkey is named after the browser', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  assert.equal(proposeDeviceName(chrome), 'Chrome on Linux')
  assert.equal(proposeDeviceName(`${chrome} Edg/156.0`), 'Edge on Linux')
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605 Version/26.0 Mobile Safari/604.1'
  assert.equal(proposeDeviceName(iphone), 'Safari on iPhone')
  assert.equal(proposeDeviceName('curl/8'), 'Passkey')
})
