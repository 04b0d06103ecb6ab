import { z } from 'zod'

/** Bounds of a session. */
export const maxParts = 200
export const maxCues = 100
const maxName = 80

/** A time or a length in a sound, seconds. */
const second = z.number('must be a number of seconds').min(0).max(1_000_000)

const name = z
  .string()
  .max(maxName)
  // oxlint-disable-next-line no-control-regex -- these are what a name must not have
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must have no control characters')

const id = z.string().regex(/^[\w-]{1,40}$/, 'must have 1 to 40 of letters, digits, _ and -')

/** Bars of a steady tempo. Their length does not depend on rounded times. */
export const Loop = z
  .strictObject({
    bars: z.int('must be a whole number').min(1).max(512),
    beats_per_bar: z.int('must be a whole number').min(1).max(16),
    bpm: z.number('must be a number').min(20).max(400),
  })
  .meta({ id: 'Loop' })
export type Loop = z.infer<typeof Loop>

/** Returns the length of a loop at its tempo, seconds. */
export const loopSeconds = ({ bars, beats_per_bar, bpm }: Loop): number => (bars * beats_per_bar * 60) / bpm

const partShape = {
  name,
  start: second,
  end: second.meta({ description: 'Of a part with a loop, the length of the loop counts instead' }),
  fade_in: second.default(0),
  fade_out: second.default(0),
  loop: Loop.nullable().default(null),
}

type PartTimes = Pick<z.infer<z.ZodObject<typeof partShape>>, 'start' | 'end' | 'fade_in' | 'fade_out' | 'loop'>

/** Length of a part, seconds. */
export const partSeconds = ({ start, end, loop }: Pick<PartTimes, 'start' | 'end' | 'loop'>): number =>
  loop === null ? end - start : loopSeconds(loop)

/** Minimum length of a part, seconds. */
const minPart = 0.01

/** Adds what is wrong with the times of a part. */
function checkPart(part: PartTimes, context: z.core.$RefinementCtx): void {
  const add = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message, input: part })
  const length = partSeconds(part)
  if (length < minPart) add('end', `must lie at least ${minPart} seconds after start`)
  else if (part.fade_in + part.fade_out > length + 1e-6) add('fade_out', 'and fade_in are longer than the part')
}

/** A part of a sound, to be exported. */
export const ExportPart = z.strictObject(partShape).superRefine(checkPart).meta({ id: 'ExportPart' })
export type ExportPart = z.infer<typeof ExportPart>

/** A part of a sound, as it is kept. */
export const WorkbenchPart = z
  .strictObject({ id, ...partShape })
  .superRefine(checkPart)
  .meta({ id: 'WorkbenchPart' })
export type WorkbenchPart = z.infer<typeof WorkbenchPart>

export const Cue = z.strictObject({ id, name, at: second }).meta({ id: 'Cue' })

/** How beats are counted, and what ends snap to. */
export const Grid = z
  .strictObject({
    snap: z.enum(['off', 'beat', 'bar'], { error: 'must be off, beat or bar' }),
    beats_per_bar: z
      .int('must be a whole number')
      .min(1)
      .max(16)
      .nullable()
      .meta({ description: 'null for what the analysis found, or 4' }),
    shift: z
      .int('must be a whole number')
      .min(0)
      .max(15)
      .meta({ description: 'Beats by which the first of a bar is moved' }),
  })
  .meta({ id: 'WorkbenchGrid' })

/** Formats of exported files. */
export const ExportFormat = z.enum(['wav', 'flac', 'mp3', 'mp3-320', 'mp3-192', 'mp3-128', 'opus'], {
  error: 'must be wav, flac, mp3, mp3-320, mp3-192, mp3-128 or opus',
})

/** What happens to the sound of all parts. */
export const exportSettings = {
  format: ExportFormat,
  joined: z.boolean().meta({ description: 'All parts in one file, in their order; otherwise each in its own' }),
  loudness_lufs: z
    .number('must be a number')
    .min(-40)
    .max(-6)
    .nullable()
    .meta({ description: 'Loudness by EBU R 128 that each file gets, with true peaks at most at -1 dBTP' }),
  semitones: z.number('must be a number').min(-12).max(12),
  tempo_percent: z.number('must be a number').min(50).max(200),
}

export const WorkbenchExport = z.strictObject(exportSettings).meta({ id: 'WorkbenchExport' })

const content = {
  parts: z.array(WorkbenchPart).max(maxParts),
  cues: z.array(Cue).max(maxCues),
  grid: Grid,
  export: WorkbenchExport,
}

/** What a person has done in the workbench. */
export const WorkbenchContent = z.strictObject(content)
export type WorkbenchContent = z.infer<typeof WorkbenchContent>

const revision = z
  .int('must be a whole number')
  .min(0)
  .meta({ description: 'Grows with each change; 0 before the first one' })

/** A change of a session: all of it, and the revision that it was made from. */
export const WorkbenchChange = z.strictObject({ revision, ...content }).meta({ id: 'WorkbenchChange' })
export type WorkbenchChange = z.infer<typeof WorkbenchChange>

/** The session of a job, as it is kept. */
export const Workbench = z
  .object({
    revision,
    updated_at: z.iso.datetime().nullable(),
    stretch: z
      .enum(['rubberband', 'atempo'])
      .meta({ description: 'Filter of ffmpeg that changes tempo and pitch; rubberband sounds better' }),
    ...content,
  })
  .meta({ id: 'Workbench' })
export type Workbench = z.infer<typeof Workbench>

/** Session of a job in which nothing was done yet. */
export const emptyContent: WorkbenchContent = {
  parts: [],
  cues: [],
  grid: { snap: 'off', beats_per_bar: null, shift: 0 },
  export: { format: 'wav', joined: false, loudness_lufs: null, semitones: 0, tempo_percent: 100 },
}

/** A sound that the workbench plays. */
export const WorkbenchSound = z.enum(['original', 'vocals', 'instrumental'], {
  error: 'must be original, vocals or instrumental',
})
export type WorkbenchSound = z.infer<typeof WorkbenchSound>
