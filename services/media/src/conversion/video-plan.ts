import type { FileFacts } from '../tools/file-facts.ts'
import { targetHeight } from '../tools/yt-dlp-args.ts'
import type { Quality } from '../platforms/schema.ts'
import type { EncodePlan } from './convert.ts'

/** Wanted result of a fetched video. */
export interface VideoTarget {
  readonly quality: Quality
  readonly isCompatible: boolean
  /** Path of the picture to overlay. */
  readonly watermark: string | undefined
}

/** Geometry of the watermark: its width as a share of the picture's, within bounds, and its distance from the edge. */
const badge = { part: 0.12, min: 32, max: 960, margin: 0.025 }

/** Returns the conversion a video needs; undefined when it needs none. */
export function planVideo(file: string, facts: FileFacts, wish: VideoTarget): EncodePlan | undefined {
  const { video, audio } = facts
  if (video === undefined) return undefined
  const height = targetHeight[wish.quality]
  const mustShrink = height !== undefined && video.height > height
  const mustPlayEverywhere = wish.isCompatible || height !== undefined
  const isForeignPicture = mustPlayEverywhere && video.codec !== 'h264'
  const isForeignSound = mustPlayEverywhere && audio !== undefined && audio.codec !== 'aac'
  const isForeignBox = mustPlayEverywhere && !file.endsWith('.mp4')
  const mustEncode = mustShrink || isForeignPicture || wish.watermark !== undefined
  if (!mustEncode && !isForeignSound && !isForeignBox) return undefined
  const sound = audio === undefined ? [] : audio.codec === 'aac' ? ['-c:a', 'copy'] : audioArgs(wish.quality)
  const picture = mustEncode ? videoArgs(video, wish) : ['-map', '0:v:0', '-c:v:0', 'copy']
  return {
    inputs: wish.watermark === undefined ? [file] : [file, wish.watermark],
    args: [...picture, '-map', '0:a:0?', ...sound],
    extension: 'mp4',
    purpose: purposeOf({ height: mustShrink ? height : undefined, watermark: wish.watermark }),
  }
}

const audioArgs = (quality: Quality): string[] => ['-c:a', 'aac', '-b:a', quality === 'max' ? '192k' : '128k']

function videoArgs(video: { width: number; height: number }, { quality, watermark }: VideoTarget): string[] {
  const limit = targetHeight[quality] ?? Number.POSITIVE_INFINITY
  const height = even(Math.min(video.height, limit))
  const width = even((video.width * height) / Math.max(1, video.height))
  const scale = `scale=${width}:${height}`
  const [preset, rate] = encodingFor(quality, height)
  // The first picture alone: a cover may come behind it.
  const encoder = ['-c:v:0', 'libx264', '-preset:v:0', preset, '-crf:v:0', rate]
  if (watermark === undefined) return ['-map', '0:v:0', '-filter:v:0', `${scale},format=yuv420p`, ...encoder]
  const badgeWidth = even(Math.min(badge.max, Math.max(badge.min, width * badge.part)))
  const margin = Math.round(height * badge.margin)
  const graph = `[0:v:0]${scale}[p];[1:v:0]scale=${badgeWidth}:-1[w];[p][w]overlay=W-w-${margin}:H-h-${margin},format=yuv420p[v]`
  return ['-filter_complex', graph, '-map', '[v]', ...encoder]
}

const even = (length: number): number => Math.max(2, 2 * Math.round(length / 2))

/** Returns preset and rate factor: small pictures may be encoded with more care, large ones must get done. */
function encodingFor(quality: Quality, height: number): [preset: string, rate: string] {
  if (quality !== 'max') return ['fast', '23']
  if (height <= 576) return ['medium', '16']
  return height <= 1080 ? ['fast', '18'] : ['veryfast', '20']
}

function purposeOf({ height, watermark }: { height: number | undefined; watermark: string | undefined }): string {
  const size = height === undefined ? [] : [`to ${height}p`]
  const what = watermark === undefined ? size : [...size, 'with the watermark']
  return what.length === 0 ? 'Converting so that it plays everywhere' : `Converting ${what.join(' ')}`
}
