import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The length of an audio file in seconds; undefined when it is none. */
export async function durationOf(file: string): Promise<number | undefined> {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
  const seconds = await run('ffprobe', args, { timeout: 10_000 }).then(
    ({ stdout }) => Number(stdout.trim()),
    () => Number.NaN,
  )
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** The part that is the same on both sides, where singers stand, and the part that differs. Together they are the original again. */
const middle = 'aformat=channel_layouts=stereo,pan=stereo|c0=0.5*c0+0.5*c1|c1=0.5*c0+0.5*c1'
const sides = 'aformat=channel_layouts=stereo,pan=stereo|c0=0.5*c0-0.5*c1|c1=0.5*c1-0.5*c0'

/** Makes the two results of a file; the names of the results say which format they get. */
export async function splitAudio(file: string, results: { stem: string; back: string }): Promise<void> {
  const filter = `[0:a]asplit[a][b];[a]${middle}[stem];[b]${sides}[back]`
  const outputs = ['-map', '[stem]', results.stem, '-map', '[back]', results.back]
  await run('ffmpeg', ['-v', 'error', '-y', '-i', file, '-filter_complex', filter, ...outputs], { timeout: 60_000 })
}
