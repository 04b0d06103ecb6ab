import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, globSync, lstatSync, lutimesSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A Debian package: fields of its control file, what it installs, and what dpkg runs. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly depends: readonly string[]
  readonly recommends?: readonly string[]
  /** One line, then the text for who wants to know more. */
  readonly description: readonly [string, string]
  /** Absolute paths that an upgrade leaves as the administrator made them. */
  readonly configurationFiles?: readonly string[]
  /** `postinst`, `prerm`, `postrm`, as dpkg runs them. */
  readonly scripts?: Readonly<Record<string, string>>
}

/** Where packages are written and how. */
export interface PackageOutput {
  readonly release: string
  /** Time of all files in them, seconds since 1970. */
  readonly time: number
  /** `gzip` takes a tenth of the time of `xz` and a third more space. */
  readonly compression: 'xz' | 'gzip'
}

/**
 * Makes a package of what lies in `folder`. The bits depend on contents, names and time alone. Returns the file and the size of
 * what it installs, bytes.
 */
export function writeDebianPackage(
  { name, ...about }: DebianPackage,
  folder: string,
  { release, time, compression }: PackageOutput,
): { file: string; installed: number } {
  const paths = globSync('**/*', { cwd: folder }).sort()
  const files = paths.filter((path) => !lstatSync(join(folder, path)).isDirectory())
  const installed = files.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0)
  const control = join(folder, 'DEBIAN')
  writeText(join(control, 'control'), controlText({ name, ...about }, installed))
  const sums = files
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(folder, path)))
          .digest('hex')}  ${path}\n`,
    )
  writeText(join(control, 'md5sums'), sums.join(''))
  const { configurationFiles = [], scripts = {} } = about
  if (configurationFiles.length > 0) writeText(join(control, 'conffiles'), `${configurationFiles.join('\n')}\n`)
  for (const [script, text] of Object.entries(scripts)) writeText(join(control, script), text, 0o755)
  levelTimes(folder, time)
  const file = join(release, `${name}_${about.version}_${about.architecture}.deb`)
  const effort = compression === 'xz' ? ['-Zxz', '-z6', '--threads-max=1'] : ['-Zgzip', '-z1']
  const words = ['--root-owner-group', ...effort, '--build', folder, file]
  const result = spawnSync('dpkg-deb', words, {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(time) },
  })
  if (result.status !== 0) throw new Error(`dpkg-deb: ${result.error?.message ?? result.stderr}`)
  return { file, installed }
}

/** Writes a file of a package, with its folders and its mode whatever the umask is. */
export function writeText(file: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}

function controlText({ name, ...about }: DebianPackage, installed: number): string {
  const fields = [
    ['Package', name],
    ['Source', 'hearth'],
    ['Version', about.version],
    ['Architecture', about.architecture],
    ['Maintainer', 'Hearth developers <hearth@example.org>'],
    ['Installed-Size', String(Math.ceil(installed / 1024))],
    ['Depends', about.depends.join(', ')],
    ['Recommends', (about.recommends ?? []).join(', ')],
    ['Section', 'net'],
    ['Priority', 'optional'],
    ['Description', `${about.description[0]}\n ${about.description[1]}`],
  ]
  return fields.flatMap(([field, value]) => (value === '' ? [] : [`${field}: ${value}\n`])).join('')
}

/** Gives all of a folder one time and folders one mode. */
function levelTimes(folder: string, time: number): void {
  for (const path of [...globSync('**/*', { cwd: folder }), '.']) {
    const full = join(folder, path)
    if (lstatSync(full).isDirectory()) chmodSync(full, 0o755)
    lutimesSync(full, time, time)
  }
}

/** Copies files of a folder into a package, each with mode 0644. `keep` sees paths relative to the folder. */
export function copyFiles(from: string, to: string, keep: (path: string) => boolean = () => true): void {
  for (const entry of globSync('**/*', { cwd: from, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (entry.isFile() && keep(path)) writeText(join(to, path), readFileSync(join(from, path)))
  }
}
