import { ApiError } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { fetchPath, type Waveform } from '../api.ts'
import { isFine } from './beat-grid.ts'

/** Longer sounds would take too much memory, seconds. */
const maxSeconds = 900

/** Enough to see a beat, and to find it: samples a second that are decoded, and values a second that are kept. */
const [sampleRate, valueRate] = [8000, 100]

/** The shape of a sound fine enough to cut on its beats: the whole sound is fetched and decoded for it, once it is wanted. */
export function useFineShape(source: string, shape: Waveform, isWanted: boolean) {
  return useQuery<Waveform>({
    queryKey: ['fine-shape', source],
    queryFn: ({ signal }) => decode(source, signal),
    enabled: isWanted && !isFine(shape) && shape.duration_seconds <= maxSeconds,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

async function decode(source: string, signal: AbortSignal): Promise<Waveform> {
  const response = await fetchPath(source, { signal })
  const context = new OfflineAudioContext(1, 1, sampleRate)
  const sound = await context.decodeAudioData(await response.arrayBuffer()).catch(() => {
    throw new ApiError('The browser cannot read the audio', { status: 200 })
  })
  return { peaks: peaksOf(sound.getChannelData(0)), duration_seconds: sound.duration }
}

function peaksOf(samples: Float32Array): number[] {
  const stretch = sampleRate / valueRate
  return Array.from({ length: Math.ceil(samples.length / stretch) }, (_, place) => {
    let highest = 0
    for (const sample of samples.subarray(place * stretch, (place + 1) * stretch))
      highest = Math.max(highest, Math.abs(sample))
    return Math.min(1, highest)
  })
}
