import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Delivery } from './script.ts'
import type { ServiceState } from './service-state.ts'

/** Hands out a result, or does what the script says instead. Results go with their source. */
export async function deliverResult(state: ServiceState, path: string, response: ServerResponse): Promise<void> {
  const [, , taskId = '', type = ''] = path.split('/')
  const task = state.tasks.get(taskId)
  const isThere = task !== undefined && task.isDone && state.sources.has(task.source.id)
  if (!isThere || (type !== 'stem' && type !== 'back')) {
    response.writeHead(404).end()
    return
  }
  const delivery = state.script.deliveries.shift() ?? 'whole'
  const format = task.presets.encoder_format ?? 'wav'
  const contentType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`
  await send({ response, content: await readFile((await task.results)[type]), contentType, path, state }, delivery)
}

interface Sending {
  readonly response: ServerResponse
  readonly content: Buffer
  readonly contentType: string
  readonly path: string
  readonly state: ServiceState
}

async function send(sending: Sending, delivery: Delivery): Promise<void> {
  const { response, content, contentType, path, state } = sending
  const head = (length: number) => response.writeHead(200, { 'content-type': contentType, 'content-length': length })
  if (typeof delivery === 'object') {
    response.writeHead(302, { location: delivery.redirectTo }).end()
    return
  }
  switch (delivery) {
    case 'whole':
      head(content.length).end(content)
      return
    case 'chunked':
      response.writeHead(200, { 'content-type': contentType }).end(content)
      return
    case 'slow':
      head(content.length)
      await dribble(sending)
      return
    case 'stalled':
      head(content.length).write(content.subarray(0, 100))
      return
    case 'endless':
      response.writeHead(200, { 'content-type': contentType })
      pour(response)
      return
    case 'truncated':
      head(content.length).write(content.subarray(0, content.length >> 1), () => response.socket?.end())
      return
    case 'empty':
      head(0).end()
      return
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
      return
    case 'missing':
      response.writeHead(404).end()
      return
    case 'unavailable':
      response.writeHead(503).end()
      return
    case 'redirect-again':
      state.script.deliveries.unshift('redirect')
      response.writeHead(307, { location: path }).end()
      return
    case 'redirect':
      response.writeHead(307, { location: `${state.url}${path}` }).end()
      return
  }
}

async function dribble({ response, content, state }: Sending): Promise<void> {
  const piece = Math.ceil(content.length / 5)
  for (let at = 0; at < content.length && !response.destroyed; at += piece) {
    response.write(content.subarray(at, at + piece))
    await state.timers.delay(20_000)
  }
  response.end()
}

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 7)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
