import { analyzeFullBuffer } from 'realtime-bpm-analyzer'
import { analyze } from 'web-audio-beat-detector'

/** Runs in the page: decodes a track and gives it to one of the libraries. */

type Buffer = Parameters<typeof analyze>[0]

/** The work that the page is asked for. */
export interface PageRequest {
  readonly library: 'realtime-bpm-analyzer' | 'web-audio-beat-detector'
  readonly address: string
  readonly rate: number
}

const libraries: Record<PageRequest['library'], (buffer: Buffer) => Promise<number | undefined>> = {
  'realtime-bpm-analyzer': async (buffer) => (await analyzeFullBuffer(buffer))[0]?.tempo,
  'web-audio-beat-detector': (buffer) => analyze(buffer),
}

async function estimate({ library, address, rate }: PageRequest): Promise<number | null> {
  const { OfflineAudioContext } = globalThis as unknown as {
    OfflineAudioContext: new (
      channels: number,
      length: number,
      rate: number,
    ) => {
      decodeAudioData(content: ArrayBuffer): Promise<Buffer>
    }
  }
  const content = await (await fetch(address)).arrayBuffer()
  const buffer = await new OfflineAudioContext(1, 1, rate).decodeAudioData(content)
  // Both throw when they find nothing.
  return (await libraries[library](buffer).catch(() => undefined)) ?? null
}

Object.assign(globalThis, { estimate })
