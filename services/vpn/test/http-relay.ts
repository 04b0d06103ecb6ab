import { createInterface } from 'node:readline'

/**
 * A program for a host of a test: makes HTTP requests there for a process elsewhere. One JSON line in is one request, one
 * JSON line out its answer, in the order they finish; it ends with its input.
 */

/** A request as a line. */
export interface RelayRequest {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** An answer as a line; `failure` when there was none. */
export type RelayAnswer = { readonly id: number } & (
  | { readonly failure: string }
  | {
      readonly status: number
      readonly text: string
      /** From before the request until the last byte of the answer, measured on that host. */
      readonly milliseconds: number
    }
)

async function answer({ id, method, url, headers, body }: RelayRequest): Promise<RelayAnswer> {
  const begin = performance.now()
  try {
    const reply = await fetch(url, { method, headers, body })
    const text = await reply.text()
    return { id, status: reply.status, text, milliseconds: performance.now() - begin }
  } catch (error) {
    const { message, cause } = error as Error
    return { id, failure: cause instanceof Error ? `${message}: ${cause.message}` : message }
  }
}

if (import.meta.main) {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    void answer(JSON.parse(line) as RelayRequest).then((done) => process.stdout.write(`${JSON.stringify(done)}\n`))
  })
  lines.on('close', () => process.exit(0))
}
