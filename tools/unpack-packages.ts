import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isAtLeast } from '../cli/backports.ts'
import type { Packages } from '../cli/services.ts'
import { isDebian, readWanted, type Wanted } from '../cli/system-packages.ts'

/** Path of the Debian keys in apt's configuration. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Unpacks packages of Debian's unstable suite, for tests that need a newer program beside the installed one. Nothing is
 * installed and the system's sources stay as they are: apt gets private folders and reads the suite from the machine's own
 * mirror, verified by Debian's keys. What cannot be had is one line on stderr. Fetches each package once.
 */
export function unpackPackages(packages: Packages, folderOf: (name: string) => string): void {
  const missing = Object.keys(packages)
    .map(readWanted)
    .filter(({ name }) => !existsSync(folderOf(name)))
  if (missing.length === 0) return
  const temporary = mkdtempSync(join(tmpdir(), 'hearth-unstable-'))
  try {
    // The processes of apt that download run as the user _apt.
    chmodSync(temporary, 0o755)
    const { args, reason } = isDebian() ? openSuite(temporary) : { args: [], reason: 'this is no Debian' }
    for (const wanted of missing) {
      const failure = reason ?? unpack(wanted, { temporary, args, target: folderOf(wanted.name) })
      if (failure !== undefined) complain(wanted.name, failure)
    }
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

const complain = (name: string, reason: string) =>
  process.stderr.write(`hearth: cannot fetch ${name} of Debian unstable, its tests are skipped: ${reason}\n`)

/** Reads the lists of the suite from the first mirror that has it. Returns the arguments that make apt use them. */
function openSuite(temporary: string): { args: readonly string[]; reason?: string } {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'parts'])
    mkdirSync(join(temporary, folder), { recursive: true })
  const lists = ['-o', `Dir::State::lists=${join(temporary, 'lists')}`]
  const source = join(temporary, 'unstable.list')
  const options = {
    'Dir::Etc::sourcelist': source,
    'Dir::Etc::sourceparts': '-',
    'Dir::Cache': join(temporary, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
    'Acquire::Retries': '1',
    'APT::Update::Error-Mode': 'any',
  }
  const args = [...lists, ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  let reason = 'apt names no mirror of Debian'
  for (const mirror of findMirrors(lists)) {
    const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : ''
    writeFileSync(source, `deb ${signed}${mirror} unstable main\n`, { mode: 0o600 })
    const update = aptGet([...args, 'update', '-qq'], temporary)
    if (update.isDone) return { args }
    reason = update.reason
  }
  return { args, reason }
}

/** Mirrors from which this machine reads its own release of Debian, in the order of its sources. */
function findMirrors(lists: readonly string[]): string[] {
  const release = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  const { output } = aptGet([...lists, '--print-uris', 'update'], '/')
  const mirrors = [...output.matchAll(/^'(\S+)\/dists\/([\w-]+)\/InRelease'/gm)]
    .filter(([, , suite]) => release === undefined || suite === release)
    .map(([, mirror = '']) => mirror)
  return [...new Set(mirrors)].slice(0, 3)
}

/** Returns why it cannot be had, or undefined. */
function unpack(
  { name, least }: Wanted,
  { temporary, args, target }: { temporary: string; args: readonly string[]; target: string },
): string | undefined {
  const download = aptGet([...args, 'download', '-qq', name], temporary)
  const file = readdirSync(temporary).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith('.deb'))
  if (file === undefined) return download.reason || 'apt-get has downloaded nothing'
  const path = join(temporary, file)
  const version = spawnSync('dpkg-deb', ['-f', path, 'Version'], { encoding: 'utf8' }).stdout.trim()
  if (least !== undefined && !isAtLeast(version, least)) return `the mirror has version ${version} only`
  mkdirSync(dirname(target), { recursive: true })
  const beside = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  try {
    const { status, stderr } = spawnSync('dpkg-deb', ['-x', path, join(beside, 'files')], { encoding: 'utf8' })
    if (status !== 0) return stderr.trim()
    renameSync(join(beside, 'files'), target)
  } catch (error) {
    // Another set-up of this folder was faster.
    if (!existsSync(target)) throw error
  } finally {
    rmSync(beside, { recursive: true })
  }
  return undefined
}

/** Runs apt-get; two minutes are enough for what is fetched here. */
function aptGet(args: readonly string[], cwd: string): { isDone: boolean; output: string; reason: string } {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stdout, stderr, error } = spawnSync('apt-get', args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 16 * 1024 * 1024,
  })
  const lines = (stderr ?? '').split('\n').filter((line) => line.startsWith('E: '))
  return { isDone: status === 0, output: stdout ?? '', reason: error?.message ?? lines.join(' ') }
}
