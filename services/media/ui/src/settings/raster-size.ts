/** Sides of a logo the server takes, in pixels. */
const [least, most] = [32, 4096]

/** The longer side a drawing without pixels of its own is given; sharp on a 4K video, and small enough to send. */
const wanted = 1024

/**
 * The size a vector drawing is turned into pixels at: its longer side 1024, more only when the shorter one would be too short.
 * Undefined when no size fits, because the drawing is far too long and thin.
 */
export function rasterSize(width: number, height: number): { width: number; height: number } | undefined {
  if (!(width > 0) || !(height > 0)) return undefined
  const scale = Math.max(wanted / Math.max(width, height), least / Math.min(width, height))
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) }
  return Math.max(size.width, size.height) > most ? undefined : size
}
