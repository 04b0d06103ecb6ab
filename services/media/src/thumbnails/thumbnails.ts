import type { ThumbnailAnswer } from './schema.ts'

/** A picture that was checked: its bytes are of the type it says. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly media: 'image/jpeg' | 'image/png' | 'image/webp'
}

/** Pictures of media that are not downloaded. Throws problems in the words of the API. */
export interface Thumbnails {
  resolve(url: string): Promise<ThumbnailAnswer>
  cached(key: string): Promise<Picture>
  /** Fetches a picture from a host on the list, and from nowhere else. */
  proxy(url: string): Promise<Picture>
  /** Forgets pictures older than a week. */
  tidy(): Promise<void>
}
