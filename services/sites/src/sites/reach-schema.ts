import { z } from 'zod'

/** Who reaches a site. */
export const SiteReach = z.enum(['everyone', 'home', 'tunnel']).meta({
  id: 'SiteReach',
  description:
    'everyone: no limit; home: the home networks and the tunnel of the linked VPN; tunnel: the tunnel of the linked VPN. All others get 403',
})
export type SiteReach = z.infer<typeof SiteReach>

/** Networks that count as inside. An empty list means that none is known. */
export interface ReachNetworks {
  readonly home: readonly string[]
  readonly tunnel: readonly string[]
}

/** Returns the networks that reach a site; undefined for a site that everyone reaches. */
export function networksOfReach(reach: SiteReach, { home, tunnel }: ReachNetworks): readonly string[] | undefined {
  if (reach === 'everyone') return undefined
  return reach === 'home' ? [...home, ...tunnel] : tunnel
}
