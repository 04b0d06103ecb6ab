import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { makeMedia } from './make-media.ts'

/** A platform on loopback that the real yt-dlp fetches from. */
export interface Platform extends AsyncDisposable {
  readonly host: string
  /** Address of a page with the media of that name: `video.mp4`, `sound.m4a`, `hls/index.m3u8`, `dash/index.mpd`, `endless.mp4`, …. */
  page(media: string, options?: PageOptions): string
  /** Requests so far, as `GET /path`. */
  readonly requests: readonly string[]
  /** Requests whose answer is held back and whose caller still waits. */
  readonly waiting: number
  /** Address of a feed, which yt-dlp reads as a playlist, with these entries from now on; `endless` never stops sending. */
  feed(name: string, entries: readonly FeedEntry[] | 'endless'): string
  /** Treats requests for pages from now on as it says: answers them, answers with 429 (feeds, too), or holds them until `release`. */
  treat(pages: PageTreatment): void
  /** Lets media flow again that `pace=held` holds back. */
  release(): void
}

/** An entry of a feed. */
export interface FeedEntry {
  readonly url: string
  readonly title: string
  readonly seconds?: number
  /** `YYYY-MM-DD`. */
  readonly published?: string
}

type PageTreatment = 'answered' | 'refused' | 'held'

export interface PageOptions {
  readonly title?: string
  /** Makes it another page with the same content. */
  readonly id?: string
  /** `slow` drips the media, `held` stops after a part until `release`, `broken` breaks it off, `missing` answers 404. */
  readonly pace?: 'slow' | 'held' | 'broken' | 'missing'
  /** The media's address is a redirect to this one. */
  readonly redirect?: string
  /** File of the page's picture; `thumbnail.jpg` when left out. */
  readonly picture?: string
  /** The page states the size of the media, bytes: its own, or this many. */
  readonly states?: 'size' | number
  /** The first request for the page is answered with 404, those after it with the page. */
  readonly isLate?: boolean
}

const types: Record<string, string> = {
  mp4: 'video/mp4',
  mkv: 'video/x-matroska',
  m4a: 'audio/mp4',
  opus: 'audio/ogg',
  jpg: 'image/jpeg',
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  ts: 'video/mp2t',
  m4s: 'video/iso.segment',
}

/** Starts the platform with media made for this run. */
export async function startPlatform(address = '127.0.0.1'): Promise<Platform> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-platform-'))
  await makeMedia(folder)
  const requests: string[] = []
  const held = new Set<() => void>()
  const feeds = new Map<string, readonly FeedEntry[] | 'endless'>()
  let pages: PageTreatment = 'answered'
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`
    const isFirst = !requests.includes(line)
    requests.push(line)
    const isPage = request.url?.startsWith('/watch') === true
    const feed = feeds.get(/^\/feed\/(\w+)$/.exec(request.url ?? '')?.[1] ?? '')
    if ((isPage || feed !== undefined) && pages === 'refused') response.writeHead(429).end()
    else if (feed !== undefined) sendFeed(feed, response)
    else if (isPage && pages === 'held') holdPage(() => answer(folder, { request, response, held }), { response, held })
    else if (isFirst && /^\/watch\?.*&late=/.test(request.url ?? '')) response.writeHead(404).end()
    else answer(folder, { request, response, held })
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const host = `${address}:${(server.address() as AddressInfo).port}`
  return {
    host,
    requests,
    get waiting() {
      return held.size
    },
    page(media, { id = '', title = 'A test', pace, redirect, picture, states, isLate = false } = {}) {
      const query = new URLSearchParams({
        media,
        id,
        title,
        ...(pace === undefined ? {} : { pace }),
        ...(redirect === undefined ? {} : { redirect }),
        ...(picture === undefined ? {} : { picture }),
        ...(isLate ? { late: '' } : {}),
        ...(states === undefined ? {} : { states: `${states}` }),
      })
      return `http://${host}/watch?${query.toString()}`
    },
    feed(name, entries) {
      feeds.set(name, entries)
      return `http://${host}/feed/${name}`
    },
    treat(next) {
      pages = next
    },
    release() {
      for (const go of held) go()
      held.clear()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly held: Set<() => void>
}

function answer(folder: string, exchange: Exchange): void {
  const { request, response } = exchange
  const url = new URL(request.url ?? '/', 'http://platform')
  if (url.pathname === '/watch')
    return void response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(pageHtml(url) + stated(url, folder, request))
  if (url.pathname === '/go') return void response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end()
  if (url.pathname.endsWith('/endless.mp4')) return sendWithoutEnd(response)
  const [, pace = '', name = ''] = /^\/media\/(\w+)\/(.+)$/.exec(url.pathname) ?? []
  const file = join(folder, normalize(`/${name}`))
  if (name === '' || pace === 'missing' || !existsSync(file)) return void response.writeHead(404).end()
  sendFile(file, pace, exchange)
}

const feedHead = `<?xml version="1.0"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>A feed</title>`

function sendFeed(entries: readonly FeedEntry[] | 'endless', response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/rss+xml' }).write(feedHead)
  if (entries !== 'endless') {
    for (const entry of entries) response.write(feedItem(entry))
    return void response.end('</channel></rss>')
  }
  let count = 0
  const sending = setInterval(
    () => response.write(feedItem({ url: `http://endless.example/${++count}`, title: 'x' })),
    20,
  )
  response.once('close', () => clearInterval(sending))
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const feedItem = ({ url, title, seconds, published }: FeedEntry): string => `
<item><title>${escaped(title)}</title><link>${escaped(url)}</link>${
  seconds === undefined ? '' : `<itunes:duration>${seconds}</itunes:duration>`
}${published === undefined ? '' : `<pubDate>${new Date(published).toUTCString()}</pubDate>`}</item>`

/** A file that never ends, and does not say how long it is. */
function sendWithoutEnd(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 1)
  response.writeHead(200, { 'content-type': 'video/mp4' })
  const send = () => {
    while (!response.destroyed && response.write(chunk)) continue
  }
  response.on('drain', send)
  send()
}

function pageHtml(url: URL): string {
  const media = url.searchParams.get('media') ?? ''
  const pace = url.searchParams.get('pace') ?? 'plain'
  const redirect = url.searchParams.get('redirect')
  const picture = encodeURIComponent(url.searchParams.get('picture') ?? 'thumbnail.jpg')
  const source = redirect === null ? `/media/${pace}/${media}` : `/go?to=${encodeURIComponent(redirect)}`
  const title = (url.searchParams.get('title') ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
  const type = types[media.slice(media.lastIndexOf('.') + 1)] ?? 'video/mp4'
  const element = `<video poster="/media/plain/${picture}"><source src="${source}" type="${type}"></video>`
  // The description names the media as well, and yt-dlp looks at it last.
  const video = url.searchParams.has('states') ? '' : element
  return `<!doctype html><html><head><title>${title}</title>
<meta property="og:title" content="${title}"><meta property="og:image" content="/media/plain/${picture}">
</head><body>${video}</body></html>`
}

/** The description of the media in the page, for one that states a size. */
function stated(url: URL, folder: string, { headers }: IncomingMessage): string {
  const states = url.searchParams.get('states')
  if (states === null) return ''
  const media = url.searchParams.get('media') ?? ''
  const description = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: url.searchParams.get('title'),
    contentUrl: `http://${headers.host}/media/${url.searchParams.get('pace') ?? 'plain'}/${media}`,
    contentSize: states === 'size' ? `${statSync(join(folder, normalize(`/${media}`))).size}` : states,
    duration: 'PT10S',
    thumbnailUrl: `http://${headers.host}/media/plain/thumbnail.jpg`,
  }
  return `<script type="application/ld+json">${JSON.stringify(description)}</script>`
}

function sendFile(file: string, pace: string, { request, response, held }: Exchange): void {
  const size = statSync(file).size
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(size - 1, Number(to))
  const isPart = request.headers.range !== undefined
  response.writeHead(isPart ? 206 : 200, {
    'content-type': types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'content-length': last - first + 1,
    'accept-ranges': 'bytes',
    ...(isPart ? { 'content-range': `bytes ${first}-${last}/${size}` } : {}),
  })
  if (request.method === 'HEAD') return void response.end()
  if (pace === 'plain') return void createReadStream(file, { start: first, end: last }).pipe(response)
  const half = Math.max(first, Math.min(last, first + Math.floor((last - first) / 2)))
  const begin = createReadStream(file, { start: first, end: half })
  begin.pipe(response, { end: false })
  begin.on('end', () => {
    if (pace === 'broken') return void response.destroy()
    if (half >= last) return void response.end()
    if (pace === 'held') return hold(readFileSync(file).subarray(half + 1, last + 1), { response, held })
    setTimeout(() => void createReadStream(file, { start: half + 1, end: last }).pipe(response), 1500)
  })
}

/** Holds an answer back. */
function holdPage(go: () => void, { response, held }: Pick<Exchange, 'response' | 'held'>): void {
  held.add(go)
  response.once('close', () => held.delete(go))
}

/** Holds the rest of a file back, but for a byte now and then: the connection of a server that sends nothing would time out. */
function hold(rest: Buffer, { response, held }: Pick<Exchange, 'response' | 'held'>): void {
  let sent = 0
  const dripping = setInterval(() => {
    if (sent < rest.length - 1) response.write(rest.subarray(sent, (sent += 1)))
  }, 5000)
  const go = () => {
    clearInterval(dripping)
    response.end(rest.subarray(sent))
  }
  held.add(go)
  response.once('close', () => {
    clearInterval(dripping)
    held.delete(go)
  })
}
