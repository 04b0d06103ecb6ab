import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { components } from '../api.gen.ts'

/** The state of one upstream of the sites. */
export type UpstreamState = components['schemas']['UpstreamState']

/** The states of all upstreams, checked by the server; read again every half minute. */
export const useUpstreams = () =>
  useQuery({
    queryKey: [...keys.traffic, 'upstreams'],
    queryFn: async () => (await answer(api.GET('/api/v1/traffic/upstreams'))).upstreams,
    refetchInterval: 30_000,
  })

/** Meanings of error codes of connections to upstreams. */
const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there',
  ETIMEDOUT: 'No answer in time',
  EHOSTUNREACH: 'No route to it',
  ENETUNREACH: 'No route to it',
  ENOTFOUND: 'The name cannot be resolved',
  EAI_AGAIN: 'The name cannot be resolved',
  ENOENT: 'There is no such socket',
}

/** Why an upstream is down, for a person. */
export function failureText(reason: string | null): string {
  if (reason === null) return 'It does not answer'
  return failures[reason] ?? reason.charAt(0).toUpperCase() + reason.slice(1)
}
