import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { knows } from './in-process.ts'
import { openCaller, type Send } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'

/** Ends of the jobs of a service that was killed again and again. */
export interface CrashReport {
  readonly jobs: number
  readonly crashes: number
  readonly statuses: Readonly<Record<string, number>>
}

const ends = new Set<Job['status']>(['done', 'analysis_done', 'error', 'cancelled'])

/**
 * Submits so many jobs to the service as an operator runs it, and kills it with SIGKILL at random moments while it works on
 * them. Asserts that no tool outlives it, and that in the end every job says the truth and no file is left that nobody knows.
 *
 * @param random numbers from 0 to 1
 */
export async function runCrashes(
  { jobs: count, perCrash }: { jobs: number; perCrash: number },
  random: () => number,
): Promise<CrashReport> {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const start = () => startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' })
  const kinds = ['sound.m4a', 'video.mp4', 'sound.opus', 'hls/index.m3u8'] as const
  let submitted = 0
  let crashes = 0
  const known: string[] = []
  while (known.length < count) {
    const service = await start()
    try {
      const send = await openCaller(service.url)
      const submissions = Array.from({ length: Math.min(perCrash, count - known.length) }, () => {
        submitted += 1
        const url = platform.page(kinds[submitted % kinds.length]!, { id: `${submitted}` })
        const type = submitted % 4 === 1 ? 'video' : 'audio'
        return send<Job>('POST', '/api/submit', { url, type, quality: 'small' })
      })
      // Those that were answered are promised; of the others the client knows that it does not know.
      const answered = submissions.map((one) => one.then(({ body }) => known.push(body.id)).catch(() => undefined))
      await Promise.race([Promise.all(answered), pause(2000 + random() * 6000)])
      await pause(random() * 2500)
    } finally {
      await service.kill()
      crashes += 1
    }
    await eventually(
      () => toolsOf(data),
      (lines) => lines.length === 0,
      { what: 'the end of all tools' },
    )
  }
  await using service = await start()
  const send = await openCaller(service.url)
  const all = await eventually(
    async () => {
      const pages = await Promise.all(
        [0, 100].map((offset) => send<Job[]>('GET', `/api/jobs?limit=100&offset=${offset}`)),
      )
      return pages.flatMap(({ body }) => body)
    },
    (jobs) => jobs.every(({ status }) => ends.has(status)),
    { seconds: 240, everyMs: 1000, what: 'the end of all jobs' },
  )
  const ids = new Set(all.map(({ id }) => id))
  for (const id of known) assert.ok(ids.has(id), `${id} was promised and is lost`)
  await checkTruth(all, { data, send })
  const statuses = Object.groupBy(all, ({ status }) => status)
  return {
    jobs: all.length,
    crashes,
    statuses: Object.fromEntries(Object.entries(statuses).map(([status, list]) => [status, list.length])),
  }
}

async function checkTruth(jobs: readonly Job[], { data, send }: { data: string; send: Send }): Promise<void> {
  const withFiles: string[] = []
  for (const job of jobs) {
    const isDone = job.status === 'done' || job.status === 'analysis_done'
    const { status } = await send('GET', `/download/${job.id}`)
    assert.equal(status, isDone ? 200 : 404, `${job.id} is ${job.status}: ${job.message}`)
    if (isDone) withFiles.push(job.id)
    else assert.match(job.message ?? '', /restarted|fetched|reached|failed/, job.status)
  }
  await checkStored(data, withFiles)
  for (const name of ['work', 'scratch']) assert.deepEqual(await readdir(join(data, name)), [], name)
}

/** Asserts that these jobs have files, that all of them are stored, and that there are no others. Several may share one. */
export async function checkStored(data: string, jobIds: readonly string[]): Promise<void> {
  using database = new DatabaseSync(join(data, 'media.db'), { readOnly: true })
  const rows = database.prepare('select job_id, folder_id, name from artifacts').all()
  assert.deepEqual(new Set(rows.map(({ job_id }) => job_id)), new Set(jobIds))
  const stored = (await readdir(join(data, 'artifacts'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${basename(entry.parentPath)}/${entry.name}`)
  assert.deepEqual(new Set(stored), new Set(rows.map(({ folder_id, name }) => `${String(folder_id)}/${String(name)}`)))
}

/** Tools that work in a data directory. */
const toolsOf = (data: string): string[] =>
  execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(data) && /yt-dlp|ffmpeg|ffprobe/.test(line) && !line.startsWith('Z'))

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
