import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OutboundPolicy } from '@hearth/outbound'
import { openEgressProxy } from './egress-proxy.ts'
import { Ffmpeg } from './ffmpeg.ts'
import { findProgram } from './find-program.ts'
import { startGuardian } from './guardian.ts'
import { createToolRunner, type ToolRunner } from './run-tool.ts'
import { homeOnly, YtDlp } from './yt-dlp.ts'
import { stat } from 'node:fs/promises'
import { ToolFailure } from './tool-failure.ts'

/** The programs the service works with. */
export interface Toolbox {
  readonly runner: ToolRunner
  readonly ytDlp: YtDlp
  readonly ffmpeg: Ffmpeg
  /**
   * Another yt-dlp than the one in use, to see how it does.
   *
   * @param policy where it may go, when that is not where the one in use may
   */
  ytDlpAt(program: string, policy?: OutboundPolicy): YtDlp
  /** Version of the scripts with which the yt-dlp in use solves a player's riddles; undefined without any. */
  ejsVersion(): Promise<string | undefined>
  close(): void
}

export interface ToolboxDependencies {
  readonly dataDirectory: string
  readonly ffmpegPath: string | undefined
  /** Path of the yt-dlp in use. */
  readonly ytDlpProgram: () => Promise<string>
  readonly policy: OutboundPolicy
}

/** Starts what the tools need. A program that is missing fails when it is used, with its name. */
export function openToolbox({ dataDirectory, ffmpegPath, ytDlpProgram, policy }: ToolboxDependencies): Toolbox {
  const guardian = startGuardian()
  const runner = createToolRunner(guardian)
  const ffmpegProgram = findProgram('ffmpeg', ffmpegPath) ?? ffmpegPath ?? '/usr/bin/ffmpeg'
  const home = join(dataDirectory, 'tool-home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const ffmpeg = new Ffmpeg({ ffmpeg: ffmpegProgram, ffprobe: join(dirname(ffmpegProgram), 'ffprobe'), runner })
  const ejsVersionOf = createEjsVersions(runner, home)
  const ytDlpOf = (program: () => Promise<string>, reach: OutboundPolicy) =>
    new YtDlp({ program, ffmpeg: ffmpegProgram, runner, home, openEgress: () => openEgressProxy({ policy: reach }) })
  return {
    runner,
    ytDlp: ytDlpOf(ytDlpProgram, policy),
    ffmpeg,
    ytDlpAt: (program, reach = policy) => ytDlpOf(() => Promise.resolve(program), reach),
    ejsVersion: async () => ejsVersionOf(await ytDlpProgram()),
    close: () => guardian.close(),
  }
}

/**
 * Creates a reader of the version of the player scripts that a yt-dlp comes with; undefined when it has none, or cannot
 * be run. Each program is run once.
 */
function createEjsVersions(runner: ToolRunner, home: string): (program: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>()
  return async (program) => {
    const key = `${program} ${(await stat(program).catch(() => undefined))?.mtimeMs}`
    const version = known.get(key) ?? readEjsVersion(runner, { program, home })
    known.set(key, version)
    return version
  }
}

/** With `--verbose` yt-dlp lists its libraries before it fails for want of a URL. */
async function readEjsVersion(runner: ToolRunner, { program, home }: { program: string; home: string }) {
  try {
    await runner.run({
      program,
      args: ['--ignore-config', '--no-plugin-dirs', '--no-update', '--verbose'],
      directory: '/',
      environment: homeOnly(home),
      limits: { timeoutMs: 20_000, memory: 1024 ** 3, processes: 16 },
      signal: new AbortController().signal,
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return /^\[debug\] Optional libraries: .*?\byt_dlp_ejs-(\d[\w.]*)/m.exec(error.output)?.[1]
  }
}
