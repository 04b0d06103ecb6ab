/** Public resolvers that can be chosen with a click; addresses are those their operators publish. */
export const knownServers: readonly { readonly name: string; readonly about: string; readonly upstream: string }[] = [
  { name: 'Quad9', about: 'blocks malware', upstream: 'tls://9.9.9.9#dns.quad9.net' },
  { name: 'Cloudflare', about: 'blocks nothing', upstream: 'tls://1.1.1.1#cloudflare-dns.com' },
  { name: 'Google', about: 'blocks nothing', upstream: 'tls://8.8.8.8#dns.google' },
  { name: 'Mullvad', about: 'blocks nothing', upstream: 'tls://194.242.2.2#dns.mullvad.net' },
  { name: 'Quad9', about: 'over HTTPS', upstream: 'https://dns.quad9.net/dns-query#9.9.9.9' },
]
