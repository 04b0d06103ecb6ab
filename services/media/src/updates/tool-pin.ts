import { parseJson } from '@hearth/runtime'
import { z } from 'zod'

/** The form of yt-dlp's version numbers. */
export const ytDlpVersion = /^\d{4}\.\d\d\.\d\d(?:\.\d+)?$/

/** A version that was fetched. */
const Fetched = z.object({
  version: z.string().regex(ytDlpVersion),
  /** SHA-256 of the program, hex: what other processes check what they fetch against. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
})
export type Fetched = z.infer<typeof Fetched>

/** The yt-dlp in use, and the one before. */
export const ToolPin = z.object({
  /** `system`: the one that is installed. */
  current: z.union([Fetched, z.literal('system')]),
  /** Missing when there is nothing to go back to. */
  previous: z.union([Fetched, z.literal('system')]).optional(),
  /** Time since which it is in use, milliseconds since the epoch. */
  since: z.number(),
  /** The first jobs have yet to show that it works. */
  isOnTrial: z.boolean(),
})
export type ToolPin = z.infer<typeof ToolPin>

const Pins = z.object({ ytdlp: ToolPin })

/** Reads the setting; undefined when nothing was ever pinned, or it cannot be read. */
export function parsePin(text: string | undefined): ToolPin | undefined {
  return Pins.safeParse(parseJson(text ?? '')).data?.ytdlp
}

export function encodePin(pin: ToolPin): string {
  return JSON.stringify({ ytdlp: pin } satisfies z.infer<typeof Pins>)
}
