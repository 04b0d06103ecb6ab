import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'

export type CaddyStatus = components['schemas']['CaddyStatus']
export type Drift = components['schemas']['Drift']

/** How it stands between the service and Caddy; events keep it fresh. */
export function useCaddyStatus(isWanted = true) {
  return useQuery({
    queryKey: [...keys.status, 'caddy'],
    queryFn: () => answer(api.GET('/api/caddy/status')),
    enabled: isWanted,
  })
}

/** What somebody else has changed, looked at afresh. */
export function useDrift() {
  return useQuery({ queryKey: [...keys.status, 'drift'], queryFn: () => answer(api.GET('/api/caddy/drift')) })
}
