import type { ToolRunner } from './run-tool.ts'
import { ToolFailure } from './tool-failure.ts'
import { homeOnly } from './yt-dlp.ts'

/**
 * Which of the scripts for the platforms' players a yt-dlp has with it; undefined when it has none, or cannot be run. It tells
 * of them when it is asked to be wordy, before it complains that there is nothing to do.
 */
export async function readEjsVersion(
  runner: ToolRunner,
  { program, home }: { program: string; home: string },
): Promise<string | undefined> {
  try {
    await runner.run({
      program,
      words: ['--ignore-config', '--no-plugin-dirs', '--no-update', '--verbose'],
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
