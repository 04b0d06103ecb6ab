import { join } from 'node:path'
import { browserObstacle, startBrowser, type TestBrowser } from '@hearth/testing'
import { build } from 'vite'
import { benchRate, timed, type BenchTrack, type Candidate, type Invited } from './candidate.ts'
import type { PageRequest } from './in-browser.ts'

const names = ['web-audio-beat-detector', 'realtime-bpm-analyzer'] as const
const origin = 'http://bench.localhost'

/**
 * The two libraries that need an OfflineAudioContext. Each has a Chromium of its own, which is started once; the start and what
 * decoding takes are part of its time.
 */
export async function browserLibraries(): Promise<Invited[]> {
  const obstacle = browserObstacle()
  if (obstacle !== false) return names.map((name) => ({ name, obstacle }))
  const script = await bundle()
  return names.map((name) => candidate(name, script))
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
    if (track !== undefined) return route.fulfill({ contentType: 'audio/wav', path: track.file })
    if (pathname === '/bench.js') return route.fulfill({ contentType: 'text/javascript', body: script })
    return route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/bench.js"></script>' })
  })
  await page.goto(`${origin}/`)
  await page.waitForFunction('globalThis.estimate !== undefined')
}

function candidate(name: (typeof names)[number], script: string): Candidate {
  const tracks = new Map<string, BenchTrack>()
  let starting: Promise<TestBrowser> | undefined
  const start = async () => {
    const browser = await startBrowser({ mayComplain: true })
    await serve(browser, script, tracks)
    return browser
  }
  return {
    name: `${name}, in Chromium`,
    estimate: (track) =>
      timed(async () => {
        starting ??= start()
        const { page } = await starting
        const path = `/track-${tracks.size}`
        tracks.set(path, track)
        const request: PageRequest = { library: name, address: `${origin}${path}`, rate: benchRate }
        return (await page.evaluate(`estimate(${JSON.stringify(request)})`)) as number | null
      }),
    async [Symbol.asyncDispose]() {
      await (await starting)?.[Symbol.asyncDispose]()
    },
  }
}
