import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { AnalysisFailed } from '../../src/analysis/analysis-thread.ts'
import { analysisRate, type DecodeAudio, type Stretch } from '../../src/analysis/audio-pieces.ts'

const bytesPerSample = 4
/** Characters of ffmpeg's complaints that are kept. */
const complaintLength = 2000

/** Decodes with the program `ffmpeg`, one process a stretch. It may open files only, so that no playlist reaches out. */
export function decodeWith(ffmpeg: string): DecodeAudio {
  return async (file, { startSeconds, lengthSeconds, signal }) => {
    signal.throwIfAborted()
    const child = spawn(ffmpeg, argumentsFor(file, { startSeconds, lengthSeconds }), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', AV_LOG_FORCE_NOCOLOR: '1' },
    })
    const kill = () => child.kill('SIGKILL')
    signal.addEventListener('abort', kill, { once: true })
    const ended = new Promise<string>((settle) => {
      child.once('error', (error: NodeJS.ErrnoException) => settle(`it could not be started, ${error.code}`))
      child.once('close', (code, killed) => settle(code === 0 ? '' : `ended with ${code ?? killed}`))
    })
    const complaint = readComplaint(child.stderr)
    const samples = await readSamples(child.stdout, Math.ceil((lengthSeconds + 1) * analysisRate), kill)
    const failure = await ended
    signal.removeEventListener('abort', kill)
    signal.throwIfAborted()
    if (samples.isCut || failure === '') return samples.values
    throw new AnalysisFailed('unreadable', describe(failure, await complaint, file))
  }
}

function argumentsFor(file: string, { startSeconds, lengthSeconds }: Stretch): string[] {
  const seconds = (value: number) => Math.max(0, value).toFixed(3)
  const input = ['-protocol_whitelist', 'file,pipe', '-ss', seconds(startSeconds), '-t', seconds(lengthSeconds)]
  const selection = ['-map', '0:a:0', '-vn', '-sn', '-dn']
  const output = ['-ac', '1', '-ar', String(analysisRate), '-f', 'f32le', 'pipe:1']
  const general = ['-nostdin', '-hide_banner', '-v', 'error', '-threads', '1']
  return [...general, ...input, '-i', `file:${resolve(file)}`, ...selection, ...output]
}

/** Reads at most `most` samples; when there is more than was asked for, `stop` is called and the rest is not read. */
async function readSamples(
  output: Readable,
  most: number,
  stop: () => void,
): Promise<{ values: Float32Array; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  // A killed process ends its output; an error of the pipe would come with that.
  output.on('data', (chunk: Buffer) => {
    if (length > most * bytesPerSample) return
    chunks.push(chunk)
    length += chunk.length
    if (length > most * bytesPerSample) stop()
  })
  await new Promise((settle) => output.once('close', settle))
  const bytes = Buffer.concat(chunks)
  const values = new Float32Array(Math.min(most, Math.floor(bytes.length / bytesPerSample)))
  // f32le is the layout of every machine this runs on; copied, because a buffer may begin anywhere.
  new Uint8Array(values.buffer).set(bytes.subarray(0, values.byteLength))
  return { values, isCut: length > most * bytesPerSample }
}

async function readComplaint(output: Readable): Promise<string> {
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-complaintLength)))
  await new Promise((settle) => output.once('close', settle))
  return text
}

function describe(failure: string, complaint: string, file: string): string {
  const lines = complaint.trim().split('\n')
  const last = (lines.at(-1) ?? '')
    .replaceAll(`file:${resolve(file)}`, 'the file')
    .replaceAll(resolve(file), 'the file')
    .slice(0, 300)
  return `ffmpeg could not decode the audio: ${last === '' ? failure : last}`
}
