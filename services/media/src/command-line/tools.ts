import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DoctorFact } from '@hearth/runtime'
import { readConfig, type Config } from '../config.ts'
import { findProgram } from '../tools/find-program.ts'
import { oldestYtDlp } from '../tools/yt-dlp.ts'
import { parsePin } from '../updates/tool-pin.ts'
import { openVersionFolder, versionsIn } from '../updates/version-folder.ts'

/** What `hearth doctor` says about the programs media are fetched and converted with. */
export function describeTools(): DoctorFact[] {
  const config = readConfig(process.env)
  return [
    describe('yt-dlp', {
      configured: config.ytDlpPath ?? takenYtDlp(config),
      words: ['--ignore-config', '--version'],
      least: oldestYtDlp,
    }),
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
    return {
      name,
      state: 'degraded',
      detail: `${version} (${program}), older than ${least}`,
      meaning: 'nothing is fetched with it; newer: hearth media tools update',
    }
  return { name, state: 'ok', detail: `${version} (${program})`, meaning }
}

/**
 * The yt-dlp the service took, as its own database tells. Looking must change nothing and never fail: without that database,
 * and with PostgreSQL, what is installed is described.
 */
function takenYtDlp({ dataDirectory, databaseUrl }: Config): string | undefined {
  if (databaseUrl !== undefined) return undefined
  try {
    using database = new DatabaseSync(join(dataDirectory, 'media.db'), { readOnly: true })
    const row = database.prepare("select value from settings where name = 'pinned_tools'").get()
    const current = parsePin(row?.['value'] as string | undefined)?.current ?? 'system'
    const versions = openVersionFolder(versionsIn(dataDirectory))
    return current !== 'system' && versions.has(current.version) ? versions.pathOf(current.version) : undefined
  } catch {
    return undefined
  }
}
