import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Schemas } from '../api.ts'

export type VpnLink = Schemas['VpnLink']

/** Interval at which the state is read while records are on their way, milliseconds. */
const paceMs = 5000

/** The link with a Hearth VPN, the networks that count as inside, and the state of the records. */
export const useVpnLink = (enabled = true) =>
  useQuery({
    queryKey: keys.vpnLink,
    enabled,
    queryFn: () => answer(api.GET('/api/vpn-link')),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? paceMs : false),
  })
