import type { Logo } from './logo-schema.ts'

/** The logo of one's own. Throws problems that say what is wrong with a picture. */
export interface Logos {
  describe(): Promise<Logo>
  /** The PNG; a problem when there is none. */
  read(): Promise<Uint8Array>
  save(bytes: Uint8Array): Promise<Logo>
  remove(): Promise<Logo & { removed: boolean }>
}
