import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, ofJob, type Job } from '../api.ts'

/** Beats and bars of a sound; found by the server at the first request. Another tempo has other beats. */
export function useBeats({ id, bpm }: Job) {
  return useQuery({
    queryKey: keys.beats(id, bpm),
    queryFn: () => answer(api.GET('/api/jobs/{job_id}/beats', ofJob(id))),
    enabled: bpm !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Time signature of a metre: six are eighths, the others quarters. */
export const timeSignature = (metre: number): string => `${metre}/${metre === 6 ? 8 : 4}`
