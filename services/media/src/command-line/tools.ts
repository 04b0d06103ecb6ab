import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DoctorCheck, Environment } from '@hearth/runtime'
import { readConfig, type Config } from '../config.ts'
import { findProgram } from '../tools/find-program.ts'
import { minYtDlpVersion } from '../tools/yt-dlp.ts'
import { parsePin } from '../updates/tool-pin.ts'
import { VersionFolder } from '../updates/version-folder.ts'

/** Describes the programs that fetch and convert media with these settings, for `hearth doctor`. */
export function describeTools(environment: Environment): DoctorCheck[] {
  const config = readConfig(environment)
  return [
    describe('yt-dlp', {
      configured: config.ytDlpPath ?? takenYtDlp(config),
      args: ['--ignore-config', '--version'],
      minVersion: minYtDlpVersion,
    }),
    describe('ffmpeg', { configured: config.ffmpegPath, args: ['-version'] }),
  ]
}

function describe(
  name: string,
  { configured, args, minVersion }: { configured: string | undefined; args: string[]; minVersion?: string },
): DoctorCheck {
  const meaning = name === 'yt-dlp' ? 'fetches media from the platforms' : 'converts, trims and analyses'
  const program = findProgram(name, configured)
  if (program === undefined) return { name, state: 'missing', detail: 'not found', meaning }
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000 })
  const version =
    stdout
      ?.split('\n')[0]
      ?.replace(/^ffmpeg version (\S+).*$/, '$1')
      .trim() ?? ''
  if (status !== 0) return { name, state: 'missing', detail: `${program} cannot be run`, meaning }
  if (minVersion !== undefined && version < minVersion)
    return {
      name,
      state: 'degraded',
      detail: `${version} (${program}), older than ${minVersion}`,
      meaning: 'nothing is fetched with it; newer: hearth media tools update',
    }
  return { name, state: 'ok', detail: `${version} (${program})`, meaning }
}

/**
 * The yt-dlp in use, from the service's database. Reading it changes nothing and never fails: without that database,
 * and with PostgreSQL, what is installed is described.
 */
function takenYtDlp({ dataDirectory, databaseUrl }: Config): string | undefined {
  if (databaseUrl !== undefined) return undefined
  try {
    using database = new DatabaseSync(join(dataDirectory, 'media.db'), { readOnly: true })
    const row = database.prepare("select value from settings where name = 'pinned_tools'").get()
    const current = parsePin(row?.['value'] as string | undefined)?.current ?? 'system'
    const versions = new VersionFolder(dataDirectory)
    return current !== 'system' && versions.has(current.version) ? versions.pathOf(current.version) : undefined
  } catch {
    return undefined
  }
}
