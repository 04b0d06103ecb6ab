import type { onSendAsyncHookHandler } from 'fastify'

/** Methods of a route as the router takes them: a route of GET answers HEAD too. */
export const methodsOf = (method: string): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

/**
 * Hook that leaves the content out of an answer to HEAD, after all others that change it. The head stays that of the answer to
 * GET, with the length of its content where that is known.
 */
export const leaveOutContent: onSendAsyncHookHandler = async (request, reply, content) => {
  if (request.method !== 'HEAD') return content
  if (isStream(content)) {
    content.on('error', (error) => request.log.error({ err: error }, 'the content for a HEAD request failed'))
    content.resume()
  } else {
    const length = content === undefined || content === null ? 0 : Buffer.byteLength(content as string | Uint8Array)
    reply.header('content-length', String(length))
  }
  return null
}

function isStream(content: unknown): content is NodeJS.ReadableStream {
  return typeof (content as NodeJS.ReadableStream | undefined | null)?.resume === 'function'
}
