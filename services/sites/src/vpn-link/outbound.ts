import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { allowAddresses, createOutboundPolicy, type OutboundAllow, type OutboundPolicy } from '@hearth/outbound'
import { knownServices } from '@hearth/service'

/**
 * Returns where the VPN may be: public addresses, those that the settings allow or name, and the VPN's own port at addresses of this
 * machine.
 */
export function vpnPolicy({
  allow,
  configured,
}: {
  readonly allow: OutboundAllow
  readonly configured: readonly string[]
}): OutboundPolicy {
  const port = knownServices.find(({ name }) => name === 'vpn')?.port ?? 0
  const own = Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address))
  const hosts = ['localhost', '127.0.0.1', '::1', ...own.filter((address) => !address.startsWith('fe80:'))]
  const here = hosts.map((host) => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`)
  return createOutboundPolicy(allowAddresses(allow, [...configured, ...here]))
}
