import { createRequire } from 'node:module'
import { decodeAll } from '../tempo/decode-all.ts'

interface EssentiaModule {
  readonly EssentiaWASM: unknown
  readonly Essentia: new (wasm: unknown) => {
    arrayToVector(samples: Float32Array): unknown
    KeyExtractor(samples: unknown): { readonly key: string; readonly scale: string; readonly strength: number }
  }
}

/** `node essentia-key-program.ts FOLDER FILE` prints the key that essentia.js, in a folder, finds in a file: `A minor 0.8`. */
const [folder = '', file = ''] = process.argv.slice(2)
const { Essentia, EssentiaWASM } = createRequire(import.meta.url)(folder) as EssentiaModule
const essentia = new Essentia(EssentiaWASM)
// Its defaults are for 44.1 kHz.
const { key, scale, strength } = essentia.KeyExtractor(essentia.arrayToVector(await decodeAll(file)))
process.stdout.write(`${key} ${scale} ${strength}\n`)
