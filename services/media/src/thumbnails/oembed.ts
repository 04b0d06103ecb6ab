import { OutboundFailed, OutboundRefused, type GuardedFetch } from '@hearth/outbound'
import { z } from 'zod'
import type { MediaUrl } from '../platforms/media-url.ts'

const patience = 6000
const largest = 256 * 1024

const Answer = z.object({ thumbnail_url: z.string().max(4096) })

/**
 * Asks the platform's own description service for the address of a picture, which is quicker than yt-dlp. Without cookies;
 * undefined when it does not say. A host the operator added is asked itself: nobody else is told of it.
 */
export async function askOembed({ url }: MediaUrl, fetch: GuardedFetch): Promise<string | undefined> {
  const address = new URL('/oembed', url)
  address.searchParams.set('url', url)
  try {
    const { status, body } = await fetch(address, { timeoutMs: patience, maxBytes: largest })
    return status === 200 ? Answer.parse(JSON.parse(Buffer.from(body).toString())).thumbnail_url : undefined
  } catch (error) {
    const isForeseen = error instanceof SyntaxError || error instanceof z.ZodError
    if (isForeseen || error instanceof OutboundFailed || error instanceof OutboundRefused) return undefined
    throw error
  }
}
