import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OutboundPolicy } from '@hearth/outbound'
import { openEgressProxy } from './egress-proxy.ts'
import { createFfmpeg, type Ffmpeg } from './ffmpeg.ts'
import { findProgram } from './find-program.ts'
import { startGuardian } from './guardian.ts'
import { createToolRunner, type ToolRunner } from './run-tool.ts'
import { createYtDlp, type YtDlp } from './yt-dlp.ts'

/** The programs the service works with. */
export interface Toolbox {
  readonly runner: ToolRunner
  readonly ytDlp: YtDlp
  readonly ffmpeg: Ffmpeg
  close(): void
}

export interface ToolboxParts {
  readonly dataDirectory: string
  readonly ffmpegPath: string | undefined
  /** Path of the yt-dlp in use. */
  readonly ytDlpProgram: () => string
  readonly policy: OutboundPolicy
}

/** Starts what the tools need. A program that is missing fails when it is used, with its name. */
export function openToolbox({ dataDirectory, ffmpegPath, ytDlpProgram, policy }: ToolboxParts): Toolbox {
  const guardian = startGuardian()
  const runner = createToolRunner(guardian)
  const ffmpegProgram = findProgram('ffmpeg', ffmpegPath) ?? ffmpegPath ?? '/usr/bin/ffmpeg'
  const home = join(dataDirectory, 'tool-home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const ffmpeg = createFfmpeg({ ffmpeg: ffmpegProgram, ffprobe: join(dirname(ffmpegProgram), 'ffprobe'), runner })
  const ytDlp = createYtDlp({
    program: ytDlpProgram,
    ffmpeg: ffmpegProgram,
    runner,
    home,
    openEgress: () => openEgressProxy({ policy }),
  })
  return { runner, ytDlp, ffmpeg, close: () => guardian.close() }
}
