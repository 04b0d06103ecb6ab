import { answer } from '@hearth/ui'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'
import type { Draft } from './draft.ts'
import { upstreamsOf } from './draft-upstreams.ts'

export type UpstreamCheck = components['schemas']['UpstreamCheck']

const pauseMs = 600

/** Checks the upstreams of a draft while it is edited. Returns those that accept no connection. */
export function useUpstreamCheck(draft: Draft, isDirty: boolean): readonly UpstreamCheck[] {
  const text = isDirty ? JSON.stringify(upstreamsOf(draft)) : '[]'
  const [settled] = useDebouncedValue(text, pauseMs)
  const query = useQuery({
    queryKey: ['upstream-check', settled],
    queryFn: async ({ signal }) => {
      const body = { urls: JSON.parse(settled) as string[] }
      return (await answer(api.POST('/api/sites/check-upstreams', { body, signal }))).upstreams
    },
    enabled: text !== '[]' && settled !== '[]',
    staleTime: 15_000,
    gcTime: 15_000,
    retry: false,
  })
  return text === settled ? (query.data?.filter(({ up }) => up === false) ?? []) : []
}
