import { createRequire } from 'node:module'
import { timed, type Candidate } from './candidate.ts'

interface MusicTempoClass {
  new (samples: Float32Array): { readonly tempo: number | string }
}

/** The library music-tempo, as it is: it expects 44.1 kHz. It throws when it finds nothing. */
export function musicTempo(): Candidate {
  // The class is the default export of a module of old form, or the module itself.
  const module = createRequire(import.meta.url)('music-tempo') as MusicTempoClass & { default?: MusicTempoClass }
  const MusicTempo = module.default ?? module
  return {
    name: 'music-tempo',
    estimate: ({ samples }) =>
      timed(() => {
        try {
          return Number(new MusicTempo(samples).tempo) || null
        } catch {
          return null
        }
      }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
