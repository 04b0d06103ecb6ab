import type { Part } from './cut-sound.ts'

/** `<start_ms>_<end_ms>` */
export const trimIdOf = ({ startMs, endMs }: Part): string => `${startMs}_${endMs}`

/** The name a part is stored under. */
export const trimArtifact = (trimId: string): string => `trim_${trimId}.wav`

/** The part that is stored under a name; undefined for anything else that is stored. */
export function partOfArtifact(name: string): Part | undefined {
  const [, start, end] = /^trim_(\d{1,10})_(\d{1,10})\.wav$/.exec(name) ?? []
  return start === undefined || end === undefined ? undefined : { startMs: Number(start), endMs: Number(end) }
}
