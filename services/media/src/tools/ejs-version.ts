import { stat } from 'node:fs/promises'
import type { ToolRunner } from './run-tool.ts'
import { ToolFailure } from './tool-failure.ts'
import { homeOnly } from './yt-dlp.ts'

/**
 * Makes what tells which of the scripts for the platforms' players a yt-dlp has with it; undefined when it has none, or cannot
 * be run. Each program is asked once.
 */
export function createEjsVersions(runner: ToolRunner, home: string): (program: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>()
  return async (program) => {
    const key = `${program} ${(await stat(program).catch(() => undefined))?.mtimeMs}`
    const version = known.get(key) ?? ask(runner, { program, home })
    known.set(key, version)
    return version
  }
}

/** It tells of its libraries when it is asked to be wordy, before it complains that there is nothing to do. */
async function ask(runner: ToolRunner, { program, home }: { program: string; home: string }) {
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
