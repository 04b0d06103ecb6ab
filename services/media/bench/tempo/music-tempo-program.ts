import { createRequire } from 'node:module'
import { decodeAll } from './decode-all.ts'

interface MusicTempoClass {
  new (samples: Float32Array): { readonly tempo: number | string }
}

/** `node music-tempo-program.ts FILE` prints the tempo that the library music-tempo finds in a file, or nothing. */
const [file = ''] = process.argv.slice(2)
// The class is the default export of a module of old form, or the module itself.
const module = createRequire(import.meta.url)('music-tempo') as MusicTempoClass & { default?: MusicTempoClass }
const MusicTempo = module.default ?? module
const samples = await decodeAll(file)
try {
  process.stdout.write(`${new MusicTempo(samples).tempo}\n`)
} catch {
  // It throws when it finds nothing.
}
