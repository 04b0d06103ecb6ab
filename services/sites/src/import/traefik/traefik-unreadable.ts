/** Largest file, characters. */
export const maxTraefikFile = 524_288

/** A text that is no dynamic configuration of Traefik; the message says why. */
export class TraefikUnreadable extends Error {
  override readonly name = 'TraefikUnreadable'
}
