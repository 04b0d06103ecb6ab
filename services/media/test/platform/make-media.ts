import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from '@hearth/testing'

/** Length of the media, seconds. */
export const mediaSeconds = 12

const beat = `aevalsrc='0.8*exp(-30*mod(t,0.5))*sin(2*PI*60*t)+0.3*exp(-60*mod(t,0.25))*(random(0)-0.5)':d=${mediaSeconds}:s=44100`
const picture = (size: string) => `testsrc2=size=${size}:rate=25:duration=${mediaSeconds}`

const drawn = (size: string): string[] => ['-f', 'lavfi', '-i', picture(size), '-f', 'lavfi', '-i', beat]

/** Sound with so much in it that every encoder uses the bits it is allowed. */
const noise = (seed: number): string[] => ['-f', 'lavfi', '-i', `anoisesrc=d=${mediaSeconds}:c=pink:a=0.5:seed=${seed}`]

/**
 * Fills a folder with media of a few seconds, a test picture and a beat of 120 BPM: `video.mp4`, `large.mkv`, `sound.m4a`,
 * `sound.opus`, `rich.m4a` (stereo, 256 kbit/s), `thumbnail.jpg`, `thumbnail.webp`, `huge.webp`, `hls/` and `dash/`. The real ffmpeg makes them once.
 */
export async function makeMedia(folder: string): Promise<void> {
  const { stdout: version } = spawnSync('ffmpeg', ['-version'], { encoding: 'utf8' })
  const kept = await cachedFolder(['media', version, readFileSync(import.meta.filename, 'utf8')], encode)
  cpSync(kept, folder, { recursive: true })
}

function encode(folder: string): void {
  mkdirSync(join(folder, 'hls'), { recursive: true })
  mkdirSync(join(folder, 'dash'), { recursive: true })
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50']
  ffmpeg(folder, [
    ...drawn('640x360'),
    ...h264,
    ...'-c:a aac -b:a 96k -shortest -movflags +faststart video.mp4'.split(' '),
  ])
  ffmpeg(folder, ['-i', 'video.mp4', '-vn', '-c:a', 'copy', 'sound.m4a'])
  ffmpeg(folder, ['-i', 'video.mp4', '-vn', '-c:a', 'libopus', 'sound.opus'])
  const stereo = '-filter_complex [0][1]join=inputs=2 -c:a aac -b:a 256k rich.m4a'
  ffmpeg(folder, [...noise(1), ...noise(2), ...stereo.split(' ')])
  ffmpeg(folder, ['-i', 'video.mp4', '-frames:v', '1', 'thumbnail.jpg'])
  ffmpeg(folder, ['-i', 'video.mp4', '-frames:v', '1', '-c:v', 'libwebp', 'thumbnail.webp'])
  writeFileSync(join(folder, 'huge.webp'), hugeWebp())
  ffmpeg(folder, ['-i', 'video.mp4', '-c', 'copy', '-hls_time', '2', '-hls_list_size', '0', 'hls/index.m3u8'])
  ffmpeg(folder, ['-i', 'video.mp4', '-c', 'copy', '-f', 'dash', 'dash/index.mpd'])
  ffmpeg(folder, [...drawn('1280x800'), ...h264, ...'-t 4 -c:a libmp3lame large.mkv'.split(' ')])
}

/** A small file that says it unpacks to 268 megapixels. */
function hugeWebp(): Buffer {
  const file = Buffer.alloc(64)
  file.write('RIFF', 0)
  file.writeUInt32LE(56, 4)
  file.write('WEBPVP8X', 8)
  file.writeUInt32LE(10, 16)
  file.writeUIntLE(16_383, 24, 3)
  file.writeUIntLE(16_383, 27, 3)
  return file
}

function ffmpeg(folder: string, words: readonly string[]): void {
  const result = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...words], { cwd: folder, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`ffmpeg ${words.join(' ')}: ${result.error?.message ?? result.stderr}`)
}
