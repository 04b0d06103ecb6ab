import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { VpnLinkChange, VpnLinkView, VpnUnlinked } from './schema.ts'
import type { VpnLink } from './vpn-link.ts'

const shared = { tag: 'Settings', access: 'admin', path: '/api/vpn-link' } as const

/** The link with a Hearth VPN, and the networks that count as inside. */
export function vpnLinkRoutes(link: VpnLink, securityLog: SecurityLog): Route[] {
  /** Who reaches sites changes with the link. */
  const changed = (detail: string) => ({ kind: 'rights_changed', target: 'inside and outside', detail }) as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the link with a Hearth VPN',
        description: 'The VPN is not asked.',
        limit: '60/min',
        success: { status: 200, body: VpnLinkView },
      },
      () => link.view(),
    ),
    route(
      {
        ...shared,
        method: 'PATCH',
        summary: 'Change the link, or the networks that count as inside',
        description:
          'Another address or token is stored only when the VPN accepts it: 422 says what is wrong. The token is never shown again.',
        limit: '20/min',
        body: VpnLinkChange,
        success: { status: 200, body: VpnLinkView },
      },
      ({ caller: by, client: from, body }) => {
        const event = changed(`changed: ${Object.keys(body).sort().join(', ')}`)
        return securityLog.recordAfter(link.change(body), { ...event, by, from })
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/vpn-link/check',
        summary: 'Compare with the VPN now',
        description:
          'Reads its interfaces and records, and brings the records in step. `problem` says what went wrong.',
        limit: '10/min',
        success: { status: 200, body: VpnLinkView },
      },
      () => link.check(),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'End the link',
        description:
          'Removes the records of this service from the VPN; `detail` says when some stay. Refused while sites are reached from the tunnel only.',
        limit: '20/min',
        success: { status: 200, body: VpnUnlinked },
        errors: [409],
      },
      ({ caller: by, client: from }) =>
        securityLog.recordAfter(link.unlink(), { ...changed('link with the VPN ended'), by, from }),
    ),
  ]
}
