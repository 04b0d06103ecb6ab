/** Kinds of stored files. */
export const artifactKinds = ['original', 'conversion', 'trim', 'export', 'stem', 'wave', 'picture'] as const
/** Kind of a stored file. */
export type ArtifactKind = (typeof artifactKinds)[number]

/** Kinds that the service makes again by itself when somebody asks for them. */
export const remakeableKinds = ['conversion', 'wave'] as const satisfies readonly ArtifactKind[]

const beginnings: readonly (readonly [RegExp, ArtifactKind])[] = [
  [/^audio[._]/, 'conversion'],
  [/^trim_/, 'trim'],
  [/^export_/, 'export'],
  [/^stem_/, 'stem'],
  // Also its peaks, and the beats that are laid over it.
  [/^(?:waveform|peaks|beats)\./, 'wave'],
  [/^thumbnail\./, 'picture'],
]

/** Returns the kind of the file that is stored under a name. */
export const kindOfArtifact = (name: string): ArtifactKind =>
  beginnings.find(([pattern]) => pattern.test(name))?.[1] ?? 'original'

/** Returns the id of the export whose file is stored under a name; undefined for another file. */
export const exportOfArtifact = (name: string): string | undefined => /^export_([0-9a-f-]{36})_/.exec(name)?.[1]
