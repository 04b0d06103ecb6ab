import type { Peer } from '../api.ts'

/** The routing modes in words anybody understands. */
export const routingModes: Record<Peer['routing_mode'], { label: string; explanation: string }> = {
  full_tunnel: {
    label: 'Everything',
    explanation: 'All traffic of the device goes through the VPN, also to the internet.',
  },
  split_tunnel: {
    label: 'VPN and listed networks',
    explanation: 'The VPN network and the networks below go through the tunnel; the rest goes its usual way.',
  },
  isolated: {
    label: 'VPN network only',
    explanation: 'Only traffic to the VPN network goes through the tunnel.',
  },
  custom: {
    label: 'Only listed networks',
    explanation: 'Exactly the networks below go through the tunnel, nothing else.',
  },
}
