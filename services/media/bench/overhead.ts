import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { temporaryDirectory } from '@hearth/testing'
import { knows, startMedia } from '../test/in-process.ts'
import { startPlatform } from '../test/platform/platform.ts'

/**
 * `npm run bench -- media/overhead`: a job from the request that asks for it to the file that comes out, against the bare
 * commands yt-dlp and ffmpeg that do the same, in turns.
 */
const limit = 1.05
const rounds = 7

await using platform = await startPlatform()
await using media = await startMedia({ ...knows(platform.host), WORKERS: '1' })
let round = 0

/** A tall video that must be made smaller: the download, and a conversion. */
const page = () => platform.page('large.mkv', { id: `${++round}` })

async function bare(): Promise<number> {
  await using folder = await temporaryDirectory('bare')
  const begin = performance.now()
  await run('yt-dlp', [
    '--ignore-config',
    '--no-cache-dir',
    '-q',
    '--write-thumbnail',
    '-o',
    join(folder.path, 'source.%(ext)s'),
    page(),
  ])
  const words =
    '-v error -vf scale=1152:720,format=yuv420p -c:v libx264 -preset fast -crf 23 -c:a aac -b:a 128k -movflags +faststart'
  await run('ffmpeg', [
    '-nostdin',
    '-i',
    join(folder.path, 'source.mkv'),
    ...words.split(' '),
    join(folder.path, 'out.mp4'),
  ])
  return performance.now() - begin
}

const run = promisify(execFile)

async function whole(): Promise<number> {
  const begin = performance.now()
  const { id } = await media.submit(page(), { type: 'video', quality: 'medium' })
  await media.reach(id, 'done')
  await (await media.call('GET', `/download/${id}`)).arrayBuffer()
  return performance.now() - begin
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
await bare()
await whole()
const times = { bare: [] as number[], whole: [] as number[] }
for (let turn = 0; turn < rounds; turn++) {
  times.bare.push(await bare())
  times.whole.push(await whole())
}
const ratio = median(times.whole) / median(times.bare)
process.stdout.write(
  `bare commands ${(median(times.bare) / 1000).toFixed(2)} s, whole job ${(median(times.whole) / 1000).toFixed(2)} s; ratio ${ratio.toFixed(2)}, limit ${limit} (medians of ${rounds})\n`,
)
process.exitCode = ratio <= limit ? 0 : 1
