import { request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { startMedia } from '../test/in-process.ts'

/** `npm run bench -- media/events`: how long one event takes until the last of 200 stream clients has it. */
const limit = 50
const clients = 200
const rounds = 50

await using media = await startMedia({ WORKERS: '0' })
let heard = 0
let awaited = Promise.withResolvers<void>()
const open = (index: number) =>
  new Promise<() => void>((resolve, reject) => {
    const { hostname, port } = new URL(media.url)
    const headers = { 'x-forwarded-for': `10.1.${index >> 2}.${index & 3}` }
    const outgoing = request({ hostname, port, path: '/events', headers, agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('"type":"snapshot"')) resolve(() => outgoing.destroy())
        if (text.includes('job_added') && ++heard === clients) awaited.resolve()
      })
      answer.on('error', () => undefined)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
const closings = await Promise.all(Array.from({ length: clients }, (_, index) => open(index)))
const times: number[] = []
for (let round = 0; round < rounds; round++) {
  heard = 0
  awaited = Promise.withResolvers<void>()
  const begin = performance.now()
  media.service.app.core.bus.publish({ type: 'job_added', job_id: String(round) })
  await awaited.promise
  times.push(performance.now() - begin)
}
for (const close of closings) close()
const sorted = times.toSorted((a, b) => a - b)
const [median = 0, worst = 0] = [sorted[Math.floor(rounds / 2)], sorted.at(-1)]
process.stdout.write(
  `one event to ${clients} clients: median ${median.toFixed(1)} ms, worst of ${rounds} ${worst.toFixed(1)} ms; limit ${limit} ms for the median\n`,
)
process.exitCode = median < limit ? 0 : 1
