import { join } from 'node:path'
import { MediaFailure } from '../tools/media-failure.ts'
import { readWavFacts } from '../trims/cut-sound.ts'
import type { ExportPart } from '../workbench/schema.ts'
import { cutGraph } from './filters.ts'
import type { ExportTools } from './make-files.ts'
import { endOf, rangeOf } from './part-ranges.ts'

/** Number of parts that are cut in one pass over the sound. */
const perPass = 16

/** A sound of whole samples in a file, or in a list of files. */
export interface SampledSound {
  readonly file: string
  readonly samples: number
  readonly sampleRate: number
}

/** Arguments of ffmpeg for a file between two steps: nothing is rounded or cut off before the last one. */
export const betweenSteps = [
  '-c:a',
  'pcm_f32le',
  '-map_metadata',
  '-1',
  '-fflags',
  '+bitexact',
  '-rf64',
  'auto',
  '-f',
  'wav',
]

/** Cuts parts out of a file, each into a file in the folder, exact to the sample; returns them in the order of the parts. */
export async function cutParts(
  tools: ExportTools,
  parts: readonly ExportPart[],
  source: { readonly file: string; readonly sampleRate: number },
): Promise<SampledSound[]> {
  const { sampleRate } = source
  const all = parts.map((part, index) => ({
    part,
    range: rangeOf(part, sampleRate),
    file: join(tools.folder, `part-${index + 1}.wav`),
  }))
  const inOrder = all.toSorted((a, b) => a.range.end - b.range.end)
  for (let index = 0; index < inOrder.length; index += perPass) {
    const pass = inOrder.slice(index, index + perPass)
    await cutPass(tools, pass, source)
    tools.progress.advance()
  }
  for (const { part, range, file } of all) await checkLength(part, { expected: range.end - range.start, file })
  return all.map(({ range, file }) => ({ file, samples: range.end - range.start, sampleRate }))
}

/** Number of passes that so many parts take. */
export const passesFor = (parts: number): number => Math.ceil(parts / perPass)

async function cutPass(
  { ffmpeg, inSlot, timeoutMs }: ExportTools,
  pass: readonly { range: ReturnType<typeof rangeOf>; file: string }[],
  { file, sampleRate }: { readonly file: string; readonly sampleRate: number },
): Promise<void> {
  const graph = cutGraph(
    pass.map(({ range }) => range),
    sampleRate,
  )
  const outputs = pass.map(({ file: output }, index) => ({
    output,
    args: ['-map', `[o${index}]`, ...betweenSteps],
  }))
  const last = outputs.at(-1)
  if (last === undefined) return
  const others = outputs.slice(0, -1).map(({ args, output }) => args.concat(`file:${output}`))
  const args = ['-filter_complex', graph, ...others.flat(), ...last.args]
  await inSlot((signal) => ffmpeg.convert({ inputs: [file], args, output: last.output, timeoutMs, signal }))
}

/** Throws when the sound ended before the part did. */
async function checkLength(part: ExportPart, { expected, file }: { expected: number; file: string }): Promise<void> {
  const facts = await readWavFacts(file)
  if (facts?.frames === expected) return
  throw new MediaFailure('conversion', `the sound ends before ${endOf(part).toFixed(3)} seconds`)
}
