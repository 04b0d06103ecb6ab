import type { Stem } from './schema.ts'

/** The whole of a sound; any other variant is the id of a trim. */
export const whole = ''

export const bothStems: readonly Stem[] = ['vocals', 'instrumental']

/** The name a stem is stored under. */
export const stemArtifact = (variant: string, stem: Stem): string =>
  `stem_${variant === whole ? 'whole' : variant}_${stem}.mp3`

/** The trim whose stem is stored under a name; undefined for anything else. */
export const trimOfArtifact = (name: string, stem: Stem): string | undefined => {
  const trimId = /^stem_(\d+_\d+)_/.exec(name)?.[1]
  return trimId !== undefined && name === stemArtifact(trimId, stem) ? trimId : undefined
}
