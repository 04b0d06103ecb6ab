import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import { explainConversion } from './media-failure.ts'
import { ToolFailure } from './tool-failure.ts'

/** Facts about a media file, as ffprobe reads them. */
export type FileFacts = ReturnType<typeof factsOf>

const number = z.coerce.number().catch(0)

const Stream = z.object({
  codec_type: z.string().catch(''),
  codec_name: z.string().catch('unknown'),
  sample_rate: number,
  channels: number,
  width: number,
  height: number,
  disposition: z.object({ attached_pic: number }).optional(),
  side_data_list: z.array(z.object({ rotation: number })).catch([]),
  tags: z.object({ rotate: number }).catch({ rotate: 0 }),
})

const Probe = z.object({
  format: z.object({ duration: number, size: number, bit_rate: number }),
  streams: z.array(Stream),
})

/** Reads the facts that ffprobe prints. Throws a `MediaFailure` for what it did not print. */
export function factsOf(json: string) {
  const result = Probe.safeParse(parseJson(json))
  if (!result.success) throw explainConversion(new ToolFailure('output', { tool: 'ffprobe' }))
  const { format, streams } = result.data
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1)
  return {
    durationMs: Math.round(format.duration * 1000),
    sizeBytes: format.size,
    bitrateKbps: Math.round(format.bit_rate / 1000),
    audio: audio && { codec: audio.codec_name, sampleRate: audio.sample_rate, channels: audio.channels },
    video: video && { codec: video.codec_name, ...sizeShown(video) },
  }
}

/** Size of a picture as it is shown, which may be turned; older files and programs name the angle in a tag. */
function sizeShown({ width, height, side_data_list: sides, tags }: z.infer<typeof Stream>) {
  const angle = sides.find(({ rotation }) => rotation !== 0)?.rotation ?? tags.rotate
  return Math.abs(angle) % 180 === 90 ? { width: height, height: width } : { width, height }
}
