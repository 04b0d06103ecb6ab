import { answer, ApiError, notifyDone, useAction } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, fetchPath, keys, type StemEvent } from '../api.ts'

const queryOf = <Name extends 'vocals' | 'instrumental'>(stem: Name, part: string) => ({
  stem,
  ...(part === '' ? {} : { trimmed: 'true', trim_id: part }),
})

/** URL of a stem, of the whole sound or of a clip. */
export const stemPath = (jobId: string, stem: 'vocals' | 'instrumental', part: string): string =>
  `/api/stemsvc/download/${jobId}?${new URLSearchParams(queryOf(stem, part)).toString()}`

/** Checks if the stems exist. Both are made at once, so one byte of one of them is enough. */
export function useStemsThere(jobId: string, part: string) {
  return useQuery({
    queryKey: keys.stems(jobId, part),
    queryFn: async ({ signal }) => {
      const path = stemPath(jobId, 'vocals', part)
      const response = await fetchPath(path, { headers: { range: 'bytes=0-0' }, signal }, 404)
      await response.body?.cancel()
      return response.ok
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** The latest event of a separation; only the event stream writes it. */
export function useStemEvent(jobId: string): StemEvent | undefined {
  const { data } = useQuery<StemEvent | null>({
    queryKey: keys.stemProgress(jobId),
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  return data ?? undefined
}

/** Requests a separation and waits. A lost connection is no failure: the events report the rest. */
export function useSeparate(jobId: string) {
  return useAction<string>({
    run: async (part) => {
      try {
        return await answer(
          api.POST('/api/stemsvc/{job_id}', { params: { path: { job_id: jobId }, query: queryOf('vocals', part) } }),
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
