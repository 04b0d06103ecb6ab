import { randomUUID } from 'node:crypto'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushToDisk } from '@hearth/runtime'
import { resultAddress } from './result-address.ts'
import { failureOf, startTimeLimit, type ServiceLink, type TimeLimit } from './service-call.ts'
import { StemServiceError, type StemFailure } from './stem-service-error.ts'

/** Destination and bounds of a result. */
export interface Download {
  /** The file to make; it appears whole or not at all. */
  readonly into: string
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
  /** Bytes so far, and of how many when the sender said so. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined
}

/** Fetches a result of the service into a file (mode 0600) and returns its size. The key is not sent. */
export async function downloadResult(link: ServiceLink, url: string, download: Download): Promise<number> {
  const address = resultAddress(url, link.baseUrl)
  using limit = startTimeLimit(link.timers, link.limits.stallMs, download.signal)
  const response = await openResult(link, address, limit)
  const temporary = `${download.into}.${randomUUID()}.part`
  try {
    const total = checkHead(response, download.maxBytes)
    const size = await receive(response, { ...download, into: temporary, total }, limit)
    await rename(temporary, download.into)
    await flushToDisk(dirname(download.into))
    return size
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await response.body?.cancel().catch(() => undefined)
  }
}

/** Follows one redirect, if its target is allowed as an address itself. */
async function openResult(link: ServiceLink, address: URL, limit: TimeLimit): Promise<Response> {
  const first = await fetchResult(link, address, limit)
  const location = redirectOf(first)
  if (location === undefined) return first
  await first.body?.cancel()
  const second = await fetchResult(link, resultAddress(location, link.baseUrl, address), limit)
  if (redirectOf(second) === undefined) return second
  await second.body?.cancel()
  throw new StemServiceError('upstream', {
    status: second.status,
    detail: 'the result was redirected twice',
    isLasting: true,
  })
}

async function fetchResult(link: ServiceLink, address: URL, limit: TimeLimit): Promise<Response> {
  const headers = { accept: 'audio/*', 'accept-encoding': 'identity', 'user-agent': 'hearth-media' }
  try {
    limit.signal.throwIfAborted()
    return await link.fetch(address, { headers, redirect: 'manual', signal: limit.signal })
  } catch (error) {
    throw failureOf(error, limit.signal)
  }
}

function redirectOf(response: Response): string | undefined {
  const location = response.headers.get('location')
  return response.status >= 300 && response.status < 400 && location !== null ? location : undefined
}

const failures: Readonly<Record<number, StemFailure>> = {
  403: 'expired',
  404: 'expired',
  410: 'expired',
  429: 'rate-limited',
}

/** Refuses what is not the promised audio; returns the announced size. */
function checkHead(response: Response, maxBytes: number): number | undefined {
  const { status } = response
  if (status !== 200) throw new StemServiceError(failures[status] ?? 'upstream', { status })
  if (!/^audio\/[\w.+-]+/i.test(response.headers.get('content-type') ?? '')) {
    throw new StemServiceError('upstream', { status, detail: 'the result is not audio' })
  }
  // The length of something packed says nothing about what comes out.
  const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length')
  const total = length === null ? undefined : Number(length)
  if (total !== undefined && total > maxBytes) throw tooLarge(maxBytes)
  return total
}

const tooLarge = (maxBytes: number) =>
  new StemServiceError('upstream', { detail: `the result is larger than ${maxBytes} bytes`, isLasting: true })

type Receiving = Download & { readonly total: number | undefined }

async function receive(response: Response, target: Receiving, limit: TimeLimit): Promise<number> {
  const file = await open(target.into, 'wx', 0o600)
  try {
    const size = await copyBody(response, { file, target }, limit)
    if (size === 0) throw new StemServiceError('upstream', { detail: 'the result is empty' })
    if (target.total !== undefined && size !== target.total) {
      throw new StemServiceError('unreachable', { detail: 'the result broke off' })
    }
    await file.sync()
    return size
  } finally {
    await file.close()
  }
}

async function copyBody(
  response: Response,
  { file, target }: { readonly file: FileHandle; readonly target: Receiving },
  limit: TimeLimit,
): Promise<number> {
  let size = 0
  for await (const chunk of networkChunks(response, limit.signal)) {
    limit.restart()
    size += chunk.length
    if (size > target.maxBytes) throw tooLarge(target.maxBytes)
    await file.writeFile(chunk)
    target.onProgress?.(size, target.total)
  }
  return size
}

/** The body; its errors are the service's, unlike those of the disk. Leaving the loop ends the connection. */
async function* networkChunks(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = response.body?.[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await chunks?.next()
      if (step === undefined || step.done === true) return
      yield step.value
    }
  } catch (error) {
    throw failureOf(error, signal)
  } finally {
    await chunks?.return?.().catch(() => undefined)
  }
}
