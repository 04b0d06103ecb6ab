import type { Quality } from '../jobs/schema.ts'

/** LAME's variable bit rate for each quality: about 245, 165 and 100 kbit/s for music in stereo. */
const levels: Readonly<Record<Quality, number>> = { max: 0, medium: 4, small: 7 }

/** Arguments of ffmpeg that make an MP3 of the first sound of a file. */
export const mp3Words = (quality: Quality): string[] =>
  `-vn -map 0:a:0 -c:a libmp3lame -q:a ${levels[quality]} -map_metadata 0`.split(' ')
