import { backupClass, releaseClass, type EventClass } from '@hearth/notifications'

/** The event classes of the service, in the order in which pages list them. */
export const eventClasses = [
  { id: 'peer.first-connection', group: 'Peers', label: 'Peer connected for the first time', severity: 'info' },
  { id: 'peer.setup-link-used', group: 'Peers', label: 'Set-up link used', severity: 'info' },
  { id: 'peer.expiring', group: 'Peers', label: 'Peer expires soon', severity: 'warning' },
  { id: 'peer.expired', group: 'Peers', label: 'Peer expired', severity: 'info' },
  { id: 'peer.quota-near', group: 'Peers', label: 'Peer near its quota', severity: 'info' },
  { id: 'peer.quota-used-up', group: 'Peers', label: 'Quota of a peer used up', severity: 'warning' },
  { id: 'peer.two-places', group: 'Peers', label: 'Key used from two places', severity: 'warning' },
  { id: 'peer.new-country', group: 'Peers', label: 'Peer connects from another country', severity: 'warning' },
  { id: 'interface.down', group: 'Interfaces', label: 'Interface down', severity: 'critical' },
  { id: 'node.lost', group: 'Nodes', label: 'Node does not report', severity: 'critical' },
  { id: 'dns.name-requested', group: 'DNS', label: 'Someone asks for a name', severity: 'info' },
  { id: 'dns.failing', group: 'DNS', label: 'DNS does not answer', severity: 'critical' },
  { id: 'dns.tunnelling', group: 'DNS', label: 'DNS queries look like a tunnel', severity: 'warning' },
  { id: 'list.surge', group: 'DNS', label: 'Block list blocks far more than usual', severity: 'warning' },
  { id: 'list.failing', group: 'DNS', label: 'Block list update failing', severity: 'warning' },
  backupClass,
  releaseClass,
] as const satisfies readonly EventClass[]
