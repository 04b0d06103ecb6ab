import { answer, ApiError, notifyDone, readApiError, unreachable, useAction } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type StemEvent } from '../api.ts'

export type StemName = 'vocals' | 'instrumental'

/** URL of a stem, of the whole sound or of a clip. */
export function stemPath(jobId: string, stem: StemName, part: string): string {
  const query = new URLSearchParams({ stem, ...(part === '' ? {} : { trimmed: 'true', trim_id: part }) })
  return `/api/stemsvc/download/${jobId}?${query.toString()}`
}

/** Checks if the stems exist. Both are made at once, so one byte of one of them is enough. */
export function useStemsThere(jobId: string, part: string) {
  return useQuery({
    queryKey: keys.stems(jobId, part),
    queryFn: async ({ signal }) => {
      const response = await fetch(stemPath(jobId, 'vocals', part), { headers: { range: 'bytes=0-0' }, signal }).catch(
        () => {
          throw unreachable()
        },
      )
      if (!response.ok && response.status !== 404) throw await readApiError(response)
      await response.body?.cancel()
      return response.ok
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** The latest that was told of a separation; only events write it. */
export function useStemEvent(jobId: string): StemEvent | undefined {
  const { data } = useQuery<StemEvent | null>({
    queryKey: keys.stemProgress(jobId),
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  return data ?? undefined
}

/** Asks for a separation and waits. A connection that was lost on the way is no failure: the events go on telling. */
export function useSeparate(jobId: string) {
  return useAction<string>({
    run: async (part) => {
      try {
        return await answer(
          api.POST('/api/stemsvc/{job_id}', {
            params: {
              path: { job_id: jobId },
              query: { stem: 'vocals', ...(part === '' ? {} : { trimmed: 'true', trim_id: part }) },
            },
          }),
        )
      } catch (error) {
        if (error instanceof ApiError && (error.status === 0 || error.status === 504)) return undefined
        throw error
      }
    },
    renew: [['stems', jobId], keys.stemStatus],
    onDone: (result) => result !== undefined && notifyDone('Vocals and accompaniment are separated'),
  })
}
