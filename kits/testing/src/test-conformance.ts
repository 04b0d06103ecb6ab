import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createConformance, type Answer } from './conforming-client.ts'
import { openApiProblems } from './openapi-problems.ts'
import { operationsOf, requestsFor } from './operations.ts'

/** A running service as the conformance test calls it. */
export interface ConformanceSubject extends AsyncDisposable {
  /** The finished OpenAPI document. */
  readonly document: Record<string, unknown>
  /** What may stand in a path and exists. */
  readonly ids: readonly string[]
  /** Sends one request as somebody who may do everything. */
  send(method: string, url: string, body: unknown): Promise<Answer & { readonly text: string }>
}

/** What of a service's API is tried, and how. */
export interface ConformancePlan {
  /** Operations that are not tried, as `POST /api/session`: what ends the session, never ends, or reaches for other hosts. */
  readonly excluded: readonly string[]
  /** Requests that are sent before the others: method, URL and body. */
  readonly requests?: readonly (readonly [method: string, url: string, body?: unknown])[]
  /** How many requests of each operation are tried. */
  readonly runs: number
  /** Answers that must have come, as `GET /api/peers 200`. */
  readonly expected: readonly string[]
  /** Whether 502, 503 and 504 are wrong as well; 500 always is. */
  readonly refusesGatewayErrors?: boolean
}

/** Registers the test that every service passes: each answer is one that its valid OpenAPI document describes. */
export function testConformance(plan: ConformancePlan, start: () => Promise<ConformanceSubject>): void {
  test('the API conforms to its description', async (t) => {
    await using subject = await start()
    await t.test('the API document is valid OpenAPI 3.1', async () => {
      assert.deepEqual(await openApiProblems(subject.document), [])
    })
    await t.test('whatever is asked, every answer is one the document describes, and none is a 500', () =>
      tryOperations(plan, subject),
    )
  })
}

async function tryOperations(plan: ConformancePlan, subject: ConformanceSubject): Promise<void> {
  const { document, ids } = subject
  const { excluded, requests = [], runs, expected, refusesGatewayErrors = false } = plan
  const conformance = createConformance(document)
  const request = async (method: string, url: string, body?: unknown) => {
    const answer = await subject.send(method, url, body)
    const isFailure = answer.status === 500 || (refusesGatewayErrors && answer.status > 500)
    assert.ok(!isFailure, `${method} ${url} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
    conformance.check(method, url.replace(/\?.*/s, ''), answer)
  }
  for (const [method, url, body] of requests) await request(method, url, body)
  for (const operation of operationsOf(document)) {
    if (excluded.includes(`${operation.method} ${operation.path}`)) continue
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, ids), ({ url, body }) => request(operation.method, url, body)),
      propertyRuns(runs),
    )
  }
  for (const name of expected) assert.ok(conformance.seen.has(name), `${name} was never seen`)
}

/** An answer of `fetch`, read to its end. */
export async function readAnswer(response: Response): Promise<Answer & { readonly text: string }> {
  const text = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  const isJson = contentType.startsWith('application/json') && text !== ''
  return { status: response.status, contentType, text, body: isJson ? JSON.parse(text) : text }
}

/**
 * Returns how often a property of a whole service is tried. On the build machine every run uses one seed, so that its result tells
 * of the change and not of the dice; anywhere else each run asks something new.
 */
export function propertyRuns<T>(numRuns: number, environment: NodeJS.ProcessEnv = process.env): fc.Parameters<T> {
  return environment['CI'] === 'true' ? { numRuns, seed: 20_261_121 } : { numRuns }
}
