import type { CookieSnapshot } from './schema.ts'

/** The jars of all platforms, as the API deals with them. Throws problems: 404 for a platform there is not, 413, 400. */
export interface CookieShelf {
  describeAll(): Promise<CookieSnapshot[]>
  upload(platform: string, bytes: Uint8Array): Promise<CookieSnapshot>
  paste(platform: string, text: string): Promise<CookieSnapshot>
  remove(platform: string): Promise<void>
}
