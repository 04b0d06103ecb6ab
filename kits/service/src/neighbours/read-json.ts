import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'

/** Largest answer, bytes; a health answer is a small object. */
const sizeLimit = 8192

/** Answer of another service: its status, and its body when that is JSON. */
export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Reads a small JSON answer within a number of milliseconds. Follows no redirect and keeps no connection. Returns undefined when
 * nothing answers in time.
 */
export async function readJson(address: string, timeLimit: number): Promise<JsonAnswer | undefined> {
  try {
    const response = await request(address, timeLimit)
    const text = await readText(response)
    return { status: response.statusCode ?? 0, body: parse(text) }
  } catch {
    return undefined
  }
}

function request(address: string, timeLimit: number): Promise<IncomingMessage> {
  const get = address.startsWith('https:') ? getHttps : getHttp
  const headers = { accept: 'application/json' }
  return new Promise((resolve, reject) => {
    get(address, { agent: false, headers, signal: AbortSignal.timeout(timeLimit) }, resolve).on('error', reject)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > sizeLimit) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
