import {
  createGuardedFetch,
  createOutboundPolicy,
  OutboundFailed,
  OutboundRefused,
  type OutboundAllow,
} from '@hearth/outbound'
import type { PriceRequest } from '../prices/price-source.ts'
import { SourceRefusal } from '../source-answer.ts'

/** Time for a request with its answer, milliseconds, and the largest answer, bytes. */
const timeoutMs = 30_000
const maxBytes = 4 * 1_048_576

/** Sends requests to sources and returns the texts of their answers. */
export type SendRequest = (request: PriceRequest, parse: (text: string) => unknown) => Promise<string>

/** Creates what sends requests, guarded. Errors name the host alone, because an address may have a key. */
export function createRequests(allow: OutboundAllow, signal: AbortSignal): SendRequest {
  const send = createGuardedFetch(createOutboundPolicy(allow, { ports: [80, 443] }))
  return async ({ url, method, headers, body }, parse) => {
    const { host } = new URL(url)
    const answer = await send(url, {
      ...(method === undefined ? { redirects: 2 } : { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw new Error(describe(error, host), { cause: error })
    })
    const text = Buffer.from(answer.body).toString('utf8')
    if (answer.status < 200 || answer.status > 299)
      throw new Error(reasonIn(text, parse) ?? `${host} answered ${answer.status}`)
    return text
  }
}

/** What a source says in its own words beside a status of failure. */
function reasonIn(text: string, parse: (text: string) => unknown): string | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    return error instanceof SourceRefusal ? error.message : undefined
  }
}

function describe(error: unknown, host: string): string {
  if (error instanceof OutboundRefused) return `${error.message}. OUTBOUND_ALLOW exempts a host, HOST:PORT or a network`
  return error instanceof OutboundFailed ? error.message : `${host} cannot be reached`
}
