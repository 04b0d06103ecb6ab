import { performance } from 'node:perf_hooks'
import { startMedia, type Media } from '../test/in-process.ts'
import { addManyJobs } from './scenario/many-jobs.ts'

/** `npm run bench -- media/list`: the first page of the job list at 100,000 stored jobs against the one at 100. */
const limit = 2
const [few, many] = [100, 100_000]

async function medianMs(media: Media): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    const begin = performance.now()
    const { body } = await media.json<unknown[]>('GET', '/api/jobs?limit=50')
    times.push(performance.now() - begin)
    if (body.length !== 50) throw new Error('the list is not whole')
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

await using media = await startMedia({ WORKERS: '0' })
const { query } = media.service.app.core.database
await addManyJobs(query, 0, few)
await medianMs(media)
const small = await medianMs(media)
await addManyJobs(query, few, many)
const large = await medianMs(media)
const ratio = large / small
process.stdout.write(
  `first 50 jobs: ${small.toFixed(2)} ms of ${few}, ${large.toFixed(2)} ms of ${many.toLocaleString('en-US')}; ratio ${ratio.toFixed(2)}, limit ${limit}\n`,
)
process.exitCode = ratio <= limit ? 0 : 1
