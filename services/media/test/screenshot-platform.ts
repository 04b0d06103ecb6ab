import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryDirectory } from '@hearth/testing'
import { convert, writeWav } from './music/audio-files.ts'
import { playSong } from './music/play-song.ts'
import type { Song } from './music/song.ts'

const run = promisify(execFile)
const rate = 22_050

/** A media of the platform. */
export interface Exhibit {
  readonly title: string
  readonly by: string
  readonly views: number
  /** Two colours of its picture, `0xRRGGBB`. */
  readonly colours: readonly [string, string]
  /** Music, or a film of so many seconds. */
  readonly content: Omit<Song, 'name' | 'group' | 'seed'> | { readonly filmSeconds: number }
  /** Duration of its download, seconds. */
  readonly takes?: number
}

/** A platform whose media are worth a picture. */
export interface ScreenshotPlatform extends AsyncDisposable {
  readonly host: string
  /** Address of the page of one of the exhibits. */
  page(index: number): string
}

/** Makes the media, and serves them on an address of loopback. */
export async function startScreenshotPlatform(address: string, exhibits: readonly Exhibit[]) {
  const folder = await temporaryDirectory('exhibits')
  for (const [index, exhibit] of exhibits.entries()) await makeExhibit(folder.path, index, exhibit)
  const server = createServer((request, response) => answer(exhibits, folder.path, { request, response }))
  server.listen(0, address)
  await once(server, 'listening')
  const host = `${address}:${(server.address() as AddressInfo).port}`
  return {
    host,
    page: (index: number) => `http://${host}/${index}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function makeExhibit(folder: string, index: number, { colours: [from, to], content }: Exhibit): Promise<void> {
  const gradient = (size: string, seconds: number) =>
    `gradients=s=${size}:c0=${from}:c1=${to}:n=2:seed=${index + 3}:speed=0.01:d=${seconds}:r=25`
  const ffmpeg = (words: readonly string[]) => run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...words])
  await ffmpeg(['-f', 'lavfi', '-i', gradient('640x360', 1), '-frames:v', '1', join(folder, `${index}.jpg`)])
  if ('filmSeconds' in content) {
    const film = ['-f', 'lavfi', '-i', gradient('640x360', content.filmSeconds), '-f', 'lavfi', '-i', 'sine=220']
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest']
    return void (await ffmpeg([...film, ...codecs, join(folder, `${index}.mp4`)]))
  }
  const samples = playSong({ name: '', group: '', seed: index + 1, ...content }, rate)
  swell(samples)
  const wav = await writeWav(join(folder, `${index}.wav`), rate, [samples])
  await convert(wav, join(folder, `${index}.m4a`), ['-c:a', 'aac', '-b:a', '128k'])
  await rm(wav)
}

/** A quiet beginning, a pause in the middle and a fading end, as music has them. */
function swell(samples: Float32Array): void {
  const loudness = (place: number) => {
    if (place < 0.09) return 0.3
    if (place > 0.46 && place < 0.56) return 0.45
    return place > 0.94 ? Math.max(0, (1 - place) / 0.06) : 1
  }
  for (let index = 0; index < samples.length; index += 1) samples[index]! *= loudness(index / samples.length)
}

function answer(
  exhibits: readonly Exhibit[],
  folder: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  const [, index = '', ending = ''] = /^\/(\d+)(?:\.(\w+))?$/.exec(request.url ?? '') ?? []
  const exhibit = exhibits[Number(index)]
  if (exhibit === undefined) return void response.writeHead(404).end()
  if (ending === '')
    return void response
      .setHeader('content-type', 'text/html')
      .end(pageOf(exhibit, `http://${request.headers.host}/${index}`))
  const file = join(folder, `${index}.${ending}`)
  const size = statSync(file).size
  response.writeHead(200, {
    'content-type': { jpg: 'image/jpeg', m4a: 'audio/mp4', mp4: 'video/mp4' }[ending] ?? 'text/plain',
    'content-length': size,
  })
  if (request.method === 'HEAD') return void response.end()
  const stream = createReadStream(file, { highWaterMark: 16_384 })
  if (exhibit.takes === undefined || ending === 'jpg') return void stream.pipe(response)
  const pause = (exhibit.takes * 1000 * 16_384) / size
  stream.on('data', (chunk) => {
    response.write(chunk)
    stream.pause()
    setTimeout(() => stream.resume(), pause)
  })
  stream.on('end', () => response.end())
  response.on('close', () => stream.destroy())
}

/** Told as linked data, which has a place for who made it and how often it was seen. */
function pageOf({ title, by, views, content }: Exhibit, address: string): string {
  const seconds = 'filmSeconds' in content ? content.filmSeconds : content.seconds
  const data = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: title,
    author: { '@type': 'Person', name: by },
    duration: `PT${seconds}S`,
    contentUrl: `${address}.${'filmSeconds' in content ? 'mp4' : 'm4a'}`,
    thumbnailUrl: `${address}.jpg`,
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: 'https://schema.org/WatchAction',
      userInteractionCount: views,
    },
  }
  return `<!doctype html><title>${title}</title><script type="application/ld+json">${JSON.stringify(data)}</script>`
}
