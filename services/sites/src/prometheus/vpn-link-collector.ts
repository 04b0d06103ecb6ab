import { defineCollector, type Collector } from '@hearth/metrics'
import type { LinkFigures } from '../vpn-link/vpn-link.ts'

/** The figures of the link with a Hearth VPN. Without one, and before its first answer, there is no sample. */
export function vpnLinkCollector(read: () => LinkFigures | undefined): Collector {
  return defineCollector({
    name: 'vpn link',
    figures: {
      hearth_sites_vpn_link_up: { type: 'gauge', help: '1 while the linked Hearth VPN answers and takes the token' },
      hearth_sites_vpn_link_checked_timestamp_seconds: { type: 'gauge', help: 'Time at which the VPN answered last' },
      hearth_sites_vpn_link_records: { type: 'gauge', help: 'Records that this service keeps in the VPN' },
      hearth_sites_vpn_link_waiting_records: { type: 'gauge', help: 'Records that are still to be written or removed' },
    },
    read() {
      const figures = read()
      if (figures === undefined) return {}
      return {
        hearth_sites_vpn_link_up: Number(figures.isUp),
        hearth_sites_vpn_link_checked_timestamp_seconds: figures.checkedAt && figures.checkedAt / 1000,
        hearth_sites_vpn_link_records: figures.records,
        hearth_sites_vpn_link_waiting_records: figures.waiting,
      }
    },
  })
}
