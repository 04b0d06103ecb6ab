import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'

export type CaddyStatus = components['schemas']['CaddyStatus']

/** A change of a Caddy server's configuration by somebody else, as a list of differences. */
export type Drift = components['schemas']['Drift']

/** Reads the state of the Caddy servers; events keep it fresh. */
export function useCaddyStatus(isWanted = true) {
  return useQuery({
    queryKey: [...keys.status, 'caddy'],
    queryFn: () => answer(api.GET('/api/caddy/status')),
    enabled: isWanted,
  })
}

/** Checks every Caddy server and reads the drift. */
export function useDrift() {
  return useQuery({ queryKey: [...keys.status, 'drift'], queryFn: () => answer(api.GET('/api/caddy/drift')) })
}
