import { join } from 'node:path'
import { camelotIndex, musicalKeys, type Mode } from '../../src/music/musical-keys.ts'
import { buildProgram } from '../tempo/build-program.ts'
import { processorSeconds } from '../tempo/candidate.ts'
import { nodeOptions } from '../tempo/node-programs.ts'
import { runProgram } from '../tempo/program.ts'

/** A key that a program told: its place on the Camelot wheel, null for none. */
export interface KeyAnswer {
  readonly key: number | null
  readonly confidence: number
  readonly processorSeconds: number
}

/** A program that tells the key of a file. It is started for each, and decodes it itself. */
export interface KeyProgram {
  readonly name: string
  readonly estimate: (file: string) => Promise<KeyAnswer>
}

/** Our estimator as a program of its own, built into a folder. */
export async function ourKeyProgram(folder: string): Promise<KeyProgram> {
  const program = await buildProgram(join(import.meta.dirname, 'our-key-program.ts'), folder)
  return keyProgram('Hearth, as a program', [...nodeOptions, program], (text) => {
    const [key, confidence = '0'] = text.trim().split(' ')
    return key === undefined || key === '' ? nothing : { key: Number(key), confidence: Number(confidence) }
  })
}

/**
 * Essentia's key extractor, compiled to WebAssembly. Debian packages no program that tells keys. Its licence is the AGPL, so that
 * it is no dependency: `ESSENTIA_JS` names the folder of the package essentia.js.
 */
export function essentiaProgram(folder: string | undefined): KeyProgram | { name: string; obstacle: string } {
  const name = 'Essentia, KeyExtractor'
  if (folder === undefined)
    return { name, obstacle: 'ESSENTIA_JS is not set (npm install --prefix FOLDER essentia.js@0.1.3)' }
  return keyProgram(name, [join(import.meta.dirname, 'essentia-key-program.ts'), folder], (text) => {
    const [tonic = '', mode = '', strength = '0'] = text.trim().split(' ')
    return { key: placeOf(tonic, mode), confidence: Number(strength) }
  })
}

const nothing = { key: null, confidence: 0 } as const

/** Pitch classes as Essentia writes them, from C. */
const tonics = [
  ['C'],
  ['C#', 'Db'],
  ['D'],
  ['D#', 'Eb'],
  ['E'],
  ['F'],
  ['F#', 'Gb'],
  ['G'],
  ['G#', 'Ab'],
  ['A'],
  ['A#', 'Bb'],
  ['B'],
]

function placeOf(tonicName: string, modeName: string): number | null {
  const tonic = tonics.findIndex((names) => names.includes(tonicName))
  const key = musicalKeys.find((one) => one.tonic === tonic && one.mode === (modeName as Mode))
  return key === undefined ? null : camelotIndex(key)
}

function keyProgram(
  name: string,
  args: readonly string[],
  read: (text: string) => Pick<KeyAnswer, 'key' | 'confidence'>,
): KeyProgram {
  return {
    name,
    async estimate(file) {
      const before = processorSeconds()
      const answer = read(await runProgram(process.execPath, [...args, file]))
      return { ...answer, processorSeconds: processorSeconds() - before }
    },
  }
}
