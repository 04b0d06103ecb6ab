import { randomUUID } from 'node:crypto'
import { escapeMarkup } from '@hearth/http'

/** How a device asks: over HTTPS where that is on, as it passes more networks, otherwise over TLS. */
export interface ProfileAddresses {
  readonly tlsHost: string | null
  readonly httpsUrl: string | null
}

/** A configuration profile that makes an Apple device ask there (`com.apple.dnsSettings.managed`). */
export function appleProfile(device: string, { tlsHost, httpsUrl }: ProfileAddresses): string {
  const server =
    httpsUrl === null
      ? [pair('DNSProtocol', 'TLS'), pair('ServerName', tlsHost ?? '')]
      : [pair('DNSProtocol', 'HTTPS'), pair('ServerURL', httpsUrl)]
  const id = randomUUID()
  const payload = [
    `<key>DNSSettings</key><dict>${server.join('')}</dict>`,
    pair('PayloadDisplayName', `Hearth DNS, ${device}`),
    pair('PayloadIdentifier', `hearth.vpn.dns.${id}.settings`),
    pair('PayloadType', 'com.apple.dnsSettings.managed'),
    pair('PayloadUUID', randomUUID().toUpperCase()),
    '<key>PayloadVersion</key><integer>1</integer>',
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      ${payload.join('\n      ')}
    </dict>
  </array>
  ${pair('PayloadDescription', 'Names are looked up by your own Hearth, encrypted, also outside the VPN.')}
  ${pair('PayloadDisplayName', `Hearth DNS, ${device}`)}
  ${pair('PayloadIdentifier', `hearth.vpn.dns.${id}`)}
  ${pair('PayloadType', 'Configuration')}
  ${pair('PayloadUUID', id.toUpperCase())}
  <key>PayloadVersion</key><integer>1</integer>
</dict>
</plist>
`
}

const pair = (key: string, text: string): string => `<key>${key}</key><string>${escapeMarkup(text)}</string>`
