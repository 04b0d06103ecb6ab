import { analyzeFullBuffer } from 'realtime-bpm-analyzer'
import { analyze } from 'web-audio-beat-detector'

/** Runs in the page: gives both libraries an audio buffer of the track and takes the time. */

type Buffer = Parameters<typeof analyze>[0]

/** What the page is asked for; the buffer is made before the clock starts. */
export interface PageRequest {
  readonly library: 'realtime-bpm-analyzer' | 'web-audio-beat-detector'
  readonly address: string
  readonly rate: number
}

const libraries: Record<PageRequest['library'], (buffer: Buffer) => Promise<number | undefined>> = {
  'realtime-bpm-analyzer': async (buffer) => (await analyzeFullBuffer(buffer))[0]?.tempo,
  'web-audio-beat-detector': (buffer) => analyze(buffer),
}

async function estimate({ library, address, rate }: PageRequest): Promise<{ bpm: number | null; seconds: number }> {
  const samples = new Float32Array(await (await fetch(address)).arrayBuffer())
  const { AudioBuffer } = globalThis as unknown as { AudioBuffer: new (options: object) => Buffer }
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate, numberOfChannels: 1 })
  buffer.copyToChannel(samples, 0)
  const begin = performance.now()
  // Both throw when they find nothing.
  const bpm = await libraries[library](buffer).catch(() => undefined)
  return { bpm: bpm ?? null, seconds: (performance.now() - begin) / 1000 }
}

Object.assign(globalThis, { estimate })
