import type { ExportRequest } from '../api.ts'
import { newId } from './new-id.ts'
import type { Content, Part } from './session.ts'

/** Formats that keep the exact length of a loop. */
const lossless = new Set<string>(['wav', 'flac'])

/** Reason why parts cannot be exported, as a sentence; undefined when they can. */
export function exportProblem(
  parts: readonly Part[],
  { format }: Pick<Content['export'], 'format'>,
): string | undefined {
  if (parts.length === 0) return 'There is no part to export yet'
  const hasLoop = parts.some(({ loop }) => loop !== null)
  return hasLoop && !lossless.has(format) ? 'A loop keeps its exact length only as WAV or FLAC' : undefined
}

/** The request that exports parts as the session says. A loop without a name says what it is. */
export const requestOf = (parts: readonly Part[], settings: Content['export']): ExportRequest => ({
  id: newId(),
  parts: parts.map(({ name, start, end, fade_in, fade_out, loop }) => ({
    name: name === '' && loop !== null ? `Loop of ${loop.bars} ${loop.bars === 1 ? 'bar' : 'bars'}` : name,
    start,
    end,
    fade_in,
    fade_out,
    loop,
  })),
  ...settings,
})
