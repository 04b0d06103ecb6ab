import { OutboundFailed, OutboundRefused, type GuardedFetch } from '@hearth/outbound'
import { readPicture, type Picture } from './picture.ts'

/** A picture that cannot be had; `message` says why without the address. */
export class PictureError extends Error {
  override readonly name = 'PictureError'
}

const patience = 8000
const largest = 2 * 1024 * 1024
const headers = { accept: 'image/webp,image/png,image/jpeg' }

/**
 * Fetches a picture, without redirects and without cookies, and makes sure it is what its server says it is: 8 seconds,
 * 2 MiB, JPEG, PNG or WebP. Throws a `PictureError`.
 */
export async function fetchPicture(url: URL, fetch: GuardedFetch): Promise<Picture> {
  const answer = await fetch(url, { headers, timeoutMs: patience, maxBytes: largest }).catch((cause: unknown) => {
    if (!(cause instanceof OutboundFailed || cause instanceof OutboundRefused)) throw cause
    throw new PictureError(cause.message, { cause })
  })
  if (answer.status !== 200) throw new PictureError(`its server answered ${answer.status}`)
  const declared = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const facts = readPicture(answer.body)
  if (facts === undefined) throw new PictureError('it is no JPEG, PNG or WebP of a usual size')
  // A name that never was official, and that some servers use.
  if ((declared === 'image/jpg' ? 'image/jpeg' : declared) !== facts.media)
    throw new PictureError('it is of another type than its server says')
  return { bytes: answer.body, media: facts.media }
}
