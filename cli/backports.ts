import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Arguments of apt-get that install a package from a Debian release's backports. */
export interface BackportCalls {
  /** Options that read only the package lists of the backports. */
  readonly update: readonly string[]
  readonly install: readonly string[]
}

/**
 * Lets `work` install packages from the backports of this Debian release without changing the system's own sources; undefined
 * when the release is not known. The dependencies come from the release itself.
 */
export function withBackports<T>(names: readonly string[], work: (calls: BackportCalls) => T): T | undefined {
  const release = releaseName()
  if (release === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'hearth-apt-'))
  try {
    const line = `deb http://deb.debian.org/debian ${release}-backports main\n`
    const alone = join(folder, 'backports.list')
    const all = join(folder, 'all.list')
    writeFileSync(alone, line)
    const own = '/etc/apt/sources.list'
    writeFileSync(all, `${existsSync(own) ? readFileSync(own, 'utf8') : ''}\n${line}`)
    const sources = (file: string) => ['-o', `Dir::Etc::sourcelist=${file}`]
    return work({
      update: [...sources(alone), '-o', 'Dir::Etc::sourceparts=-', '-o', 'APT::Get::List-Cleanup=0', 'update', '-qq'],
      install: [...sources(all), ...installWords, ...names.map((name) => `${name}/${release}-backports`)],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Arguments of apt-get for an unattended installation. */
export const installWords = ['install', '-y', '-qq', '--no-install-recommends'] as const

/** Returns true if a Debian version is at least another; false for unknown versions. */
export function isAtLeast(version: string, least: string): boolean {
  return spawnSync('dpkg', ['--compare-versions', version, 'ge', least]).status === 0
}

function releaseName(): string | undefined {
  const file = '/etc/os-release'
  if (!existsSync(file)) return undefined
  return /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(readFileSync(file, 'utf8'))?.[1]
}
