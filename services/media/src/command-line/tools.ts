import { spawnSync } from 'node:child_process'
import type { DoctorFact } from '@hearth/runtime'
import { readConfig } from '../config.ts'
import { findProgram } from '../tools/find-program.ts'

/** Older ones do not know the options we rely on. */
const oldestYtDlp = '2025.04'

/** What `hearth doctor` says about the programs media are fetched and converted with. */
export function describeTools(): DoctorFact[] {
  const config = readConfig(process.env)
  return [
    describe('yt-dlp', { configured: config.ytDlpPath, words: ['--ignore-config', '--version'], least: oldestYtDlp }),
    describe('ffmpeg', { configured: config.ffmpegPath, words: ['-version'] }),
  ]
}

function describe(
  name: string,
  { configured, words, least }: { configured: string | undefined; words: string[]; least?: string },
): DoctorFact {
  const meaning = name === 'yt-dlp' ? 'fetches media from the platforms' : 'converts, trims and analyses'
  const program = findProgram(name, configured)
  if (program === undefined) return { name, state: 'missing', detail: 'not found', meaning }
  const { stdout, status } = spawnSync(program, words, { encoding: 'utf8', timeout: 20_000 })
  const version =
    stdout
      ?.split('\n')[0]
      ?.replace(/^ffmpeg version (\S+).*$/, '$1')
      .trim() ?? ''
  if (status !== 0) return { name, state: 'missing', detail: `${program} cannot be run`, meaning }
  if (least !== undefined && version < least)
    return { name, state: 'degraded', detail: `${version}, older than ${least}`, meaning }
  return { name, state: 'ok', detail: `${version} (${program})`, meaning }
}
