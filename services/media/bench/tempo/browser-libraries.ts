import { join } from 'node:path'
import { browserObstacle, startBrowser, type TestBrowser } from '@hearth/testing'
import { build } from 'vite'
import type { Answer, BenchTrack, Candidate, Invited } from './candidate.ts'
import { benchRate } from './candidate.ts'
import type { PageRequest } from './in-browser.ts'

const names = ['web-audio-beat-detector', 'realtime-bpm-analyzer'] as const
const origin = 'http://bench.localhost'

/** The two libraries that need an OfflineAudioContext, in one Chromium; their time is that of the page, without starting it. */
export async function browserLibraries(): Promise<Invited[]> {
  const obstacle = browserObstacle()
  if (obstacle !== false) return names.map((name) => ({ name, obstacle }))
  const script = await bundle()
  const browser = await startBrowser({ mayComplain: true })
  const tracks = new Map<string, BenchTrack>()
  await serve(browser, script, tracks)
  return names.map((name, index) => candidate({ name, browser, tracks, isLast: index === names.length - 1 }))
}

async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(import.meta.dirname, 'in-browser.ts'), formats: ['es'], fileName: 'bench' },
    },
  })
  const [first] = Array.isArray(result) ? result : [result]
  const chunk = first !== undefined && 'output' in first ? first.output[0] : undefined
  if (chunk === undefined) throw new Error('the libraries could not be bundled for the browser')
  return chunk.code
}

async function serve({ page }: TestBrowser, script: string, tracks: Map<string, BenchTrack>): Promise<void> {
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url())
    const track = tracks.get(pathname)
    if (track !== undefined)
      return route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(track.samples.buffer) })
    if (pathname === '/bench.js') return route.fulfill({ contentType: 'text/javascript', body: script })
    return route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/bench.js"></script>' })
  })
  await page.goto(`${origin}/`)
  await page.waitForFunction('globalThis.estimate !== undefined')
}

interface Place {
  readonly name: (typeof names)[number]
  readonly browser: TestBrowser
  readonly tracks: Map<string, BenchTrack>
  /** The last one closes the browser. */
  readonly isLast: boolean
}

function candidate({ name, browser, tracks, isLast }: Place): Candidate {
  return {
    name: `${name}, in Chromium`,
    async estimate(track) {
      const path = `/track-${tracks.size}`
      tracks.set(path, track)
      const request: PageRequest = { library: name, address: `${origin}${path}`, rate: benchRate }
      return (await browser.page.evaluate(`estimate(${JSON.stringify(request)})`)) as Answer
    },
    [Symbol.asyncDispose]: () => (isLast ? browser[Symbol.asyncDispose]() : Promise.resolve()),
  }
}
