import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startBrowser } from '@hearth/testing'
import { startMedia } from '../test/in-process.ts'
import { finishedJob } from '../test/job-row.ts'

/** `npm run bench -- media/workbench-scroll`: the workbench scrolls through a sound of an hour, at three scales, beside what a frame has at 60 a second. */
const minutes = Number(process.argv[2] ?? 60)
const frames = 600
const limit = { medianMs: 17.5, ownMs: 4 }

interface Measured {
  readonly times: number[]
  /** What the page itself computed for each frame. */
  readonly own: number[]
  readonly longTasks: number
  readonly scrolled: number
}

/** Scrolls by the wheel in every frame and notes how long each took. Runs in the page. */
const scroll = `async (frames) => {
  const canvas = document.querySelector('canvas.workbench-wave')
  const box = canvas.getBoundingClientRect()
  let longTasks = 0
  const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length))
  observer.observe({ type: 'longtask' })
  const times = []
  const own = []
  let scrolled = 0
  const plain = window.requestAnimationFrame
  let spent = 0
  window.requestAnimationFrame = (work) => plain((time) => {
    const begin = performance.now()
    work(time)
    spent += performance.now() - begin
  })
  let last = performance.now()
  for (let frame = 0; frame < frames; frame += 1) {
    const way = frame < frames / 2 ? 40 : -40
    const event = new WheelEvent('wheel', { deltaX: way, clientX: box.x + 300, clientY: box.y + 80, bubbles: true, cancelable: true })
    spent = -performance.now()
    canvas.dispatchEvent(event)
    spent += performance.now()
    if (event.defaultPrevented) scrolled += 1
    await new Promise((resolve) => plain(resolve))
    const now = performance.now()
    times.push(now - last)
    own.push(spent)
    last = now
  }
  observer.disconnect()
  window.requestAnimationFrame = plain
  return { times, own, longTasks, scrolled }
}`

function run(...args: string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...args])
  if (status !== 0) throw new Error(String(stderr))
}

await using media = await startMedia({ WORKERS: '0' })
const { database, artifacts } = media.service.app.core
const job = finishedJob({
  id: randomUUID(),
  video_title: 'An hour',
  duration_ms: minutes * 60_000,
  bpm: 126,
  bpm_confidence: 0.9,
})
const [minute, source] = [join(media.folder, 'minute.m4a'), join(media.folder, 'hour.m4a')]
const beats = `aevalsrc='0.6*sin(2*PI*60*t)*exp(-18*mod(t,60/126))+0.1*(random(0)*2-1)*exp(-40*mod(t+30/126,60/126))':s=44100:d=60`
run('-f', 'lavfi', '-i', beats, '-c:a', 'aac', '-b:a', '64k', minute)
run('-stream_loop', String(minutes - 1), '-i', minute, '-c', 'copy', source)
await database.query.insertInto('jobs').values(job).execute()
await artifacts.put(job.id, 'source.m4a', source)
await using browser = await startBrowser({ baseURL: media.url })
const { page } = browser
page.setDefaultTimeout(300_000)
const begin = performance.now()
await page.goto(`/job/${job.id}/workbench`)
await page.locator('canvas.workbench-wave').waitFor()
process.stdout.write(
  `${minutes} minutes: drawn after ${((performance.now() - begin) / 1000).toFixed(1)} s, made once\n`,
)
await page.getByText('Snap to (b)').waitFor()
process.stdout.write(`beats after ${((performance.now() - begin) / 1000).toFixed(1)} s, found once\n`)
let isGood = true
for (const [name, presses] of [
  ['10 minutes in view', 3],
  ['40 seconds in view', 4],
  ['2 seconds in view', 4],
] as const) {
  await page.locator('h1').click()
  for (let press = 0; press < presses; press += 1) await page.keyboard.press('+')
  const { times, own, longTasks, scrolled } = await page.evaluate<Measured>(`(${scroll})(${frames})`)
  const share = (values: number[], part: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN
  const at = (part: number) => share(times, part)
  const late = times.filter((time) => time > 25).length
  isGood &&= at(0.5) <= limit.medianMs && share(own, 0.5) <= limit.ownMs
  process.stdout.write(
    `${name}: median ${at(0.5).toFixed(1)} ms, 99 of 100 ${at(0.99).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms, ` +
      `computed ${share(own, 0.5).toFixed(2)} ms (99 of 100 ${share(own, 0.99).toFixed(2)}), ${late} of ${times.length} frames over 25 ms, ${longTasks} long tasks, ${scrolled} scrolled\n`,
  )
}
process.stdout.write(
  `limit: a frame every ${limit.medianMs} ms, ${limit.ownMs} ms computed for it, both in the median\n`,
)
process.exitCode = isGood ? 0 : 1
