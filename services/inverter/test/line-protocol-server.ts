import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** An answer to a write: a status, with headers and a body. */
export interface WriteAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A point as the server keeps it. */
export interface Point {
  readonly key: string
  readonly fields: Readonly<Record<string, string>>
  readonly time: string
}

/** A server of the line protocol as InfluxDB behaves, whose answers a test decides. */
export interface LineServer extends AsyncDisposable {
  readonly url: string
  /** Points by series and time: a repeated point replaces itself, as in InfluxDB. */
  readonly points: ReadonlyMap<string, Point>
  /** Every line that was taken, in the order of the requests, repeats included. */
  readonly taken: readonly string[]
  readonly requests: readonly {
    readonly url: string
    readonly authorization: string | undefined
    readonly lines: number
  }[]
  /** Decides on a write before it is taken; undefined takes it. */
  decide: (lines: readonly string[], request: IncomingMessage) => WriteAnswer | 'drop' | undefined
  /** Takes points but ends the connection before the answer. */
  isMute: boolean
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts the server on a free port of loopback. */
export async function startLineServer(): Promise<LineServer> {
  let port = 0
  const points = new Map<string, Point>()
  const taken: string[] = []
  const requests: { url: string; authorization: string | undefined; lines: number }[] = []
  let server = createServer(handle)

  function handle(request: IncomingMessage, response: ServerResponse): void {
    void take(request, response).catch(() => request.destroy())
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(request)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8')
    const lines = text.split('\n').filter((line) => line !== '')
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization, lines: lines.length })
    const decision = self.decide(lines, request)
    if (decision === 'drop') {
      request.socket.destroy()
      return
    }
    if (decision !== undefined) {
      response.writeHead(decision.status, decision.headers).end(decision.body)
      return
    }
    if (lines.length === 0 && (request.url ?? '').startsWith('/api/v2/')) {
      response.writeHead(400).end(JSON.stringify({ code: 'invalid', message: 'writing requires points' }))
      return
    }
    for (const line of lines) {
      taken.push(line)
      const point = parseLine(line)
      points.set(`${point.key} ${point.time}`, point)
    }
    if (self.isMute) request.socket.destroy()
    else response.writeHead(204).end()
  }

  const self: LineServer = {
    get url() {
      return `http://127.0.0.1:${port}`
    },
    points,
    taken,
    requests,
    decide: () => undefined,
    isMute: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    async start() {
      server = createServer(handle)
      await listen()
    },
    [Symbol.asyncDispose]: () => self.stop(),
  }

  async function listen(): Promise<void> {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  await listen()
  return self
}

/** Reads a line of the protocol. Throws for one that InfluxDB would refuse. */
export function parseLine(line: string): Point {
  const [key = '', fields = '', time = '', ...more] = splitOutside(line, ' ')
  if (more.length > 0 || !/^-?\d+$/.test(time) || fields === '') throw new Error(`not a line: ${line}`)
  const pairs = splitOutside(fields, ',').map((field) => {
    const [name = '', value = ''] = splitOutside(field, '=')
    if (!/^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|"(?:[^"\\]|\\.)*")$/.test(value))
      throw new Error(`not a field: ${field}`)
    return [name, value] as const
  })
  return { key, fields: Object.fromEntries(pairs), time }
}

/** Splits at a separator that is neither escaped nor inside quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = ['']
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    const last = parts.length - 1
    if (character === '\\') {
      parts[last] += character + (text[at + 1] ?? '')
      at += 1
    } else if (character === separator && !isQuoted) parts.push('')
    else {
      if (character === '"') isQuoted = !isQuoted
      parts[last] += character
    }
  }
  return parts
}
