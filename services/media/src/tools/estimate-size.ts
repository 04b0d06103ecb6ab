import type { MediaType, Quality } from '../platforms/schema.ts'
import type { MediaFormat, MediaInfo } from './media-info.ts'
import { targetHeight } from './yt-dlp-args.ts'

/** Form in which media is wanted. */
export interface WantedForm {
  readonly type: MediaType
  readonly quality: Quality
  readonly isCompatible: boolean
}

type Sized = Pick<MediaFormat, 'filesize' | 'filesize_approx' | 'tbr'>

/** Returns the bytes of one format, stated or computed from its bit rate; undefined when the platform tells neither. */
export function bytesOf({ filesize, filesize_approx, tbr }: Sized, duration: number | null | undefined) {
  const stated = filesize ?? filesize_approx
  if (stated != null && stated > 0) return Math.round(stated)
  return tbr != null && tbr > 0 && duration != null && duration > 0
    ? Math.round((tbr * 1000 * duration) / 8)
    : undefined
}

/**
 * Estimates the bytes of a download from what the platform states; undefined when that does not suffice. Formats come in
 * yt-dlp's order, the best last, and are chosen as its arguments for the form do (`downloadArgs`).
 */
export function estimateBytes(
  { formats, duration, ...whole }: Pick<MediaInfo, 'formats' | 'duration' | keyof Sized>,
  form: WantedForm,
): number | undefined {
  const chosen = chooseFormats(formats, form)
  // A single format is the whole, which may be described better.
  if (chosen.length === 0 || formats.length === 1) return bytesOf({ ...chosen[0], ...known(whole) }, duration)
  const sizes = chosen.map((format) => bytesOf(format, duration))
  return sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0)
}

/** What is stated of the whole. */
const known = (whole: Sized): Sized => Object.fromEntries(Object.entries(whole).filter(([, value]) => value != null))

const hasPicture = ({ vcodec, height }: MediaFormat) => vcodec !== 'none' && (vcodec != null || height != null)
const hasSound = ({ acodec }: MediaFormat) => acodec !== 'none'

/** Bit rates that an audio quality is fetched in, kbit/s. */
const soundRates: Readonly<Record<Quality, readonly [number, number] | undefined>> = {
  max: undefined,
  medium: [112, 256],
  small: [56, 112],
}

function chooseFormats(formats: readonly MediaFormat[], { type, quality, isCompatible }: WantedForm): MediaFormat[] {
  const sounds = formats.filter((format) => !hasPicture(format) && hasSound(format))
  const mixed = formats.findLast((format) => hasPicture(format) && hasSound(format))
  if (type === 'audio') {
    const rates = soundRates[quality]
    const isFitting = ({ abr }: MediaFormat) =>
      rates === undefined || (abr != null && abr >= rates[0] && abr <= rates[1])
    const sound = sounds.findLast(isFitting) ?? sounds.at(-1) ?? mixed
    return sound === undefined ? [] : [sound]
  }
  const picture = choosePicture(formats.filter(hasPicture), quality, isCompatible)
  if (picture === undefined) return []
  const sound = hasSound(picture) ? undefined : sounds.at(-1)
  return sound === undefined ? [picture] : [picture, sound]
}

function choosePicture(pictures: readonly MediaFormat[], quality: Quality, isCompatible: boolean) {
  const height = targetHeight[quality]
  const small = pictures.filter((format) => height === undefined || format.height == null || format.height <= height)
  const fitting = small.length === 0 ? pictures : small
  if (height === undefined && !isCompatible) return fitting.at(-1)
  const widespread = fitting.filter(({ vcodec }) => vcodec?.startsWith('avc') === true || vcodec === 'h264')
  const among = widespread.length === 0 ? fitting : widespread
  return among.reduce<MediaFormat | undefined>(
    (best, format) => ((format.height ?? 0) >= (best?.height ?? 0) ? format : best),
    undefined,
  )
}
