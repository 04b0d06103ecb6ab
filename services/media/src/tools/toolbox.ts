import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OutboundPolicy } from '@hearth/outbound'
import { openEgressProxy } from './egress-proxy.ts'
import { Ffmpeg } from './ffmpeg.ts'
import { findProgram } from './find-program.ts'
import { startGuardian } from './guardian.ts'
import { createToolRunner } from './run-tool.ts'
import { YtDlp } from './yt-dlp.ts'

/** The programs the service works with. */
export type Toolbox = ReturnType<typeof openToolbox>

export interface ToolboxDependencies {
  readonly dataDirectory: string
  readonly ffmpegPath: string | undefined
  /** Path of the yt-dlp in use. */
  readonly ytDlpProgram: () => Promise<string>
  readonly policy: OutboundPolicy
}

/** Starts what the tools need. A program that is missing fails when it is used, with its name. */
export function openToolbox({ dataDirectory, ffmpegPath, ytDlpProgram, policy }: ToolboxDependencies) {
  const guardian = startGuardian()
  const runner = createToolRunner(guardian)
  const ffmpeg = findProgram('ffmpeg', ffmpegPath) ?? ffmpegPath ?? '/usr/bin/ffmpeg'
  const home = join(dataDirectory, 'tool-home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const converter = new Ffmpeg({ ffmpeg, ffprobe: join(dirname(ffmpeg), 'ffprobe'), runner })
  const convert: Ffmpeg['convert'] = (conversion) => converter.convert(conversion)
  const ytDlpOf = (program: () => Promise<string>, reach: OutboundPolicy) =>
    new YtDlp({ program, ffmpeg, runner, home, convert, openEgress: () => openEgressProxy({ policy: reach }) })
  return {
    runner,
    ytDlp: ytDlpOf(ytDlpProgram, policy),
    ffmpeg: converter,
    /** Creates another yt-dlp than the one in use, to try it; `reach` may widen where it may connect to. */
    ytDlpAt: (program: string, reach: OutboundPolicy = policy) => ytDlpOf(() => Promise.resolve(program), reach),
    close: (): void => guardian.close(),
  }
}
