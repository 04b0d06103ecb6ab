import { dirname } from 'node:path'
import { factsOf, type FileFacts } from './file-facts.ts'
import { explainConversion } from './media-failure.ts'
import { Collector, type ToolLimits, type ToolRunner } from './run-tool.ts'
import { ToolFailure } from './tool-failure.ts'

/** A conversion of local files. */
export interface Conversion {
  /** Absolute paths of ours. */
  readonly inputs: readonly string[]
  /** Before the first input; never text of a user. */
  readonly before?: readonly string[]
  /** Between the inputs and the output; never text of a user. */
  readonly args: readonly string[]
  readonly output: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Length of the result, for the progress; without it there is none. */
  readonly durationMs?: number
  readonly onProgress?: (percent: number) => void
}

/** A part of a file's sound. */
export interface Stretch {
  readonly sampleRate: number
  readonly startSeconds: number
  readonly lengthSeconds: number
  readonly signal: AbortSignal
}

/** Filter that changes tempo and pitch; rubberband sounds better, and not every ffmpeg has it. */
export type StretchFilter = 'rubberband' | 'atempo'

const gigabyte = 1024 ** 3
const limits: Omit<ToolLimits, 'timeoutMs'> = { memory: 3 * gigabyte, processes: 16 }
const probeTimeout = 20_000
const maxProbeBytes = 16 * 1024 ** 2

/** Only local files, named so that no name can be taken for an option or a protocol. */
const localOnly = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe']
const unwritten = /^Error (?:writing trailer of|closing file)|: No space left on device$/m
const inputOf = (file: string): string => `file:${file}`

/** Arguments that print the samples of the first sound: mono, 32-bit floats. */
const monoFloats = (sampleRate: number): string[] => [
  '-vn',
  '-map',
  '0:a:0',
  '-ac',
  '1',
  '-ar',
  String(sampleRate),
  '-f',
  'f32le',
  'pipe:1',
]

/** ffmpeg and ffprobe on local files only. Throws `MediaFailure`. */
export class Ffmpeg {
  readonly #dependencies: { ffmpeg: string; ffprobe: string; runner: ToolRunner }
  #stretchFilter: Promise<StretchFilter> | undefined

  constructor(dependencies: { ffmpeg: string; ffprobe: string; runner: ToolRunner }) {
    this.#dependencies = dependencies
  }

  async probe(file: string, signal: AbortSignal): Promise<FileFacts> {
    const json = new Collector(maxProbeBytes)
    const args = ['-v', 'error', '-protocol_whitelist', 'file,pipe', '-show_format', '-show_streams']
    await this.#run({
      program: this.#dependencies.ffprobe,
      args: [...args, '-print_format', 'json', inputOf(file)],
      directory: dirname(file),
      limits: { ...limits, timeoutMs: probeTimeout },
      signal,
      onBytes: (chunk) => json.add(chunk),
    })
    return factsOf(json.content().toString())
  }

  async convert({ inputs, before = [], args, output, timeoutMs, signal, ...progress }: Conversion): Promise<void> {
    const { durationMs, onProgress } = progress
    let highest = 0
    const complaints = await this.#run({
      program: this.#dependencies.ffmpeg,
      args: [
        ...localOnly,
        '-y',
        ...before,
        ...inputs.flatMap((input) => ['-i', inputOf(input)]),
        ...args,
        '-progress',
        'pipe:1',
        '-nostats',
        inputOf(output),
      ],
      directory: dirname(output),
      limits: { ...limits, timeoutMs },
      signal,
      onLine(line) {
        const microseconds = Number(/^out_time_us=(\d+)$/.exec(line)?.[1] ?? Number.NaN)
        if (durationMs === undefined || durationMs <= 0 || Number.isNaN(microseconds)) return
        const percent = Math.min(99, Math.floor(microseconds / 10 / durationMs))
        if (percent > highest) onProgress?.((highest = percent))
      },
    })
    // It calls a file good whose end could not be written.
    if (unwritten.test(complaints))
      throw explainConversion(new ToolFailure('exit', { tool: 'ffmpeg', output: complaints }))
  }

  /** Samples of a stretch of the sound: mono, 32-bit floats. */
  async decode(file: string, { sampleRate, startSeconds, lengthSeconds, signal }: Stretch): Promise<Float32Array> {
    const maxBytes = Math.ceil(lengthSeconds * sampleRate) * 4
    const samples = new Collector(maxBytes)
    const start = startSeconds > 0 ? ['-ss', startSeconds.toFixed(3)] : []
    await this.#run({
      program: this.#dependencies.ffmpeg,
      args: [...localOnly, ...start, '-t', lengthSeconds.toFixed(3), '-i', inputOf(file), ...monoFloats(sampleRate)],
      directory: dirname(file),
      limits: { ...limits, timeoutMs: 120_000 },
      signal,
      onBytes: (chunk) => samples.add(chunk),
    })
    const whole = samples.content()
    const bytes = Math.min(maxBytes, whole.length - (whole.length % 4))
    return new Float32Array(whole.buffer.slice(whole.byteOffset, whole.byteOffset + bytes))
  }

  /** Sends the samples of the whole sound, mono, 32-bit floats, to `onSamples` as they are decoded. */
  async decodeAll(
    file: string,
    options: { sampleRate: number; timeoutMs: number; signal: AbortSignal; onSamples: (samples: Float32Array) => void },
  ): Promise<void> {
    const { sampleRate, timeoutMs, signal, onSamples } = options
    let rest: Buffer = Buffer.alloc(0)
    await this.#run({
      program: this.#dependencies.ffmpeg,
      args: [...localOnly, '-i', inputOf(file), ...monoFloats(sampleRate)],
      directory: dirname(file),
      limits: { ...limits, timeoutMs },
      signal,
      onBytes(chunk) {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        const whole = bytes.length - (bytes.length % 4)
        rest = bytes.subarray(whole)
        // A copy: samples must begin at a multiple of four.
        onSamples(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole)))
        return true
      },
    })
  }

  /** Sends the whole sound through a filter of ours, and calls `onLine` with each line the filter prints to stdout. */
  async filterSound(
    file: string,
    options: { filter: string; timeoutMs: number; signal: AbortSignal; onLine: (line: string) => void },
  ): Promise<void> {
    const { filter, timeoutMs, signal, onLine } = options
    await this.#run({
      program: this.#dependencies.ffmpeg,
      args: [...localOnly, '-i', inputOf(file), '-vn', '-map', '0:a:0', '-af', filter, '-f', 'null', '-'],
      directory: dirname(file),
      limits: { ...limits, timeoutMs },
      signal,
      onLine,
    })
  }

  /** Resolves to true if any pixel of a picture lets through what is behind it; every one of them is decoded. */
  async hasTransparency(picture: string, signal: AbortSignal): Promise<boolean> {
    let pixels = 0
    let isTransparent = false
    const alpha = ['-frames:v', '1', '-vf', 'format=rgba,alphaextract,format=gray', '-f', 'rawvideo', 'pipe:1']
    await this.#run({
      program: this.#dependencies.ffmpeg,
      args: [...localOnly, '-xerror', '-err_detect', 'explode', '-i', inputOf(picture), ...alpha],
      directory: dirname(picture),
      limits: { ...limits, timeoutMs: probeTimeout },
      signal,
      onBytes(chunk) {
        pixels += chunk.length
        isTransparent ||= chunk.some((value) => value < 255)
        return true
      },
    })
    // It ends well, too, when it found nothing to decode.
    if (pixels === 0) throw explainConversion(new ToolFailure('output', { tool: 'ffmpeg' }))
    return isTransparent
  }

  async version(): Promise<string | undefined> {
    let first: string | undefined
    try {
      await this.#describe('-version', (line) => (first ??= line))
    } catch {
      return undefined
    }
    return /^ffmpeg version (\S+)/.exec(first ?? '')?.[1]
  }

  /** The filter that this ffmpeg changes tempo and pitch with. It is asked once. */
  stretchFilter(): Promise<StretchFilter> {
    return (this.#stretchFilter ??= this.#detectStretchFilter().catch((error: unknown) => {
      this.#stretchFilter = undefined
      throw error
    }))
  }

  async #detectStretchFilter(): Promise<StretchFilter> {
    let filter: StretchFilter = 'atempo'
    await this.#describe('-filters', (line) => {
      if (/^\s*\S+\s+rubberband\s/.test(line)) filter = 'rubberband'
    })
    return filter
  }

  /** Has the program print something of itself, line by line. */
  async #describe(option: '-version' | '-filters', onLine: (line: string) => void): Promise<void> {
    await this.#run({
      program: this.#dependencies.ffmpeg,
      args: ['-hide_banner', option].slice(option === '-version' ? 1 : 0),
      directory: '/',
      limits: { ...limits, timeoutMs: probeTimeout },
      signal: new AbortController().signal,
      onLine,
    })
  }

  async #run(run: Parameters<ToolRunner['run']>[0]): Promise<string> {
    try {
      return await this.#dependencies.runner.run(run)
    } catch (error) {
      if (error instanceof ToolFailure && error.kind !== 'aborted') throw explainConversion(error)
      throw error
    }
  }
}
