/** Kinds of authenticators by the AAGUID they report when a passkey is made. */
const names: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
}

const transportNames: Readonly<Record<string, string>> = {
  internal: 'this device',
  hybrid: 'a phone nearby',
  usb: 'USB',
  nfc: 'NFC',
  ble: 'Bluetooth',
  'smart-card': 'smart card',
}

/** Names the authenticator of a passkey: its product when that is known, else its transports. */
export function describeAuthenticator(passkey: { aaguid: string; transports: readonly string[] }): string {
  const { aaguid, transports } = passkey
  const known = names[aaguid]
  if (known !== undefined) return known
  const reached = transports.map((transport) => transportNames[transport]).filter((name) => name !== undefined)
  if (reached.length === 0) return 'Unknown device'
  const list = reached.join(', ')
  return `${list.charAt(0).toUpperCase()}${list.slice(1)}`
}

/** A name for a new passkey, from what the browser says of itself: `Chrome on Linux`. */
export function proposeDeviceName(userAgent: string): string {
  const browser = firstOf(userAgent, [
    [/Edg\//, 'Edge'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ])
  const system = firstOf(userAgent, [
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Mac OS X/, 'Mac'],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux'],
  ])
  if (browser === undefined || system === undefined) return browser ?? system ?? 'Passkey'
  return `${browser} on ${system}`
}

function firstOf(text: string, choices: readonly (readonly [RegExp, string])[]): string | undefined {
  return choices.find(([pattern]) => pattern.test(text))?.[1]
}
