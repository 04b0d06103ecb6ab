import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { writeText } from '../release/debian-package.ts'
import type { Architecture } from '../release/node-program.ts'
import { suite, type ImageContents } from './image-contents.ts'

/** What images leave out of the packages: text for people, tables of other character sets, and what only apt and dpkg use. */
const leftOut = [
  'boot',
  'etc/apt',
  'etc/dpkg',
  'usr/games',
  'usr/include',
  'usr/lib/*/gconv',
  'usr/share/bash-completion',
  'usr/share/gcc',
  'usr/share/gdb',
  'usr/share/info',
  'usr/share/lintian',
  'usr/share/locale',
  'usr/share/man',
  'usr/share/zsh',
  'var/cache/*',
  'var/lib/apt',
  'var/lib/dpkg/*',
  'var/log/*',
]

/** Time that Debian's mirror has to bring the packages, milliseconds. */
const fetchLimit = 600_000

/**
 * Unpacks the Debian packages of an image into the empty folder, without running anything of them, so that it works for other
 * architectures too. Needs root and `mmdebstrap`.
 */
export function unpackDebian(contents: ImageContents, architecture: Architecture, folder: string): void {
  const { programs, packages, service } = contents
  run('mmdebstrap', [
    '--quiet',
    '--variant=extract',
    `--architectures=${architecture}`,
    `--include=${packages.join(',')}`,
    '--skip=essential/unlink,cleanup/apt/cache',
    '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
    ...Object.keys(programs).map((name) => `--extract-hook=${downloadHook(name)}`),
    suite,
    folder,
  ])
  const archives = join(folder, 'var/cache/apt/archives')
  const files = globSync('*.deb', { cwd: archives }).sort()
  const records = files.map((file) => [nameOf(file), readControl(join(archives, file))] as const)
  for (const file of files) {
    const program = programs[nameOf(file)]
    if (program !== undefined) takeProgram(join(archives, file), program, folder)
  }
  prune(folder)
  // Scanners of images read there what is installed.
  for (const [name, text] of records) writeText(join(folder, 'var/lib/dpkg/status.d', name), text)
  writeAccounts(folder, service)
  writeText(join(folder, 'etc/ssl/certs/ca-certificates.crt'), `${rootCertificates.join('\n')}\n`)
  // Links that scripts of the packages make.
  for (const [path, target] of [
    ['run', '/run'],
    ['lock', '/run/lock'],
  ] as const) {
    rmSync(join(folder, 'var', path), { recursive: true })
    symlinkSync(target, join(folder, 'var', path))
  }
  linkAlternatives(folder, architecture)
}

/** A line of shell that lets mmdebstrap's apt fetch one more package; its name comes from this repository. */
function downloadHook(name: string): string {
  return `cd "$1/var/cache/apt/archives" && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get -o APT::Sandbox::User=root download -qq ${name}`
}

const nameOf = (file: string): string => file.slice(0, file.indexOf('_'))

/** Takes one program, and the licence, out of a package. */
function takeProgram(file: string, program: string, folder: string): void {
  const unpacked = mkdtempSync(join(tmpdir(), 'hearth-image-'))
  try {
    run('dpkg-deb', ['--extract', file, unpacked])
    for (const path of [program, `usr/share/doc/${nameOf(basename(file))}/copyright`])
      cpSync(join(unpacked, path), join(folder, path))
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
}

function readControl(file: string): string {
  return `${run('dpkg-deb', ['--field', file]).trimEnd()}\nStatus: install ok installed\n`
}

function prune(folder: string): void {
  for (const pattern of leftOut)
    for (const path of globSync(pattern, { cwd: folder })) rmSync(join(folder, path), { recursive: true, force: true })
  for (const entry of globSync('usr/share/doc/**/*', { cwd: folder, withFileTypes: true }))
    if (entry.isFile() && entry.name !== 'copyright') rmSync(join(entry.parentPath, entry.name))
}

function writeAccounts(folder: string, { name, port }: ImageContents['service']): void {
  const home = `/var/lib/hearth/${name}`
  writeText(
    join(folder, 'etc/passwd'),
    `root:x:0:0:root:/:/usr/sbin/nologin\nhearth-${name}:x:${port}:${port}:Hearth:${home}:/usr/sbin/nologin\n`,
  )
  writeText(join(folder, 'etc/group'), `root:x:0:\nhearth-${name}:x:${port}:\n`)
  writeText(join(folder, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  for (const file of ['etc/hostname', 'etc/resolv.conf', 'etc/fstab']) rmSync(join(folder, file), { force: true })
}

/** Libraries that their packages put in place by a script. */
function linkAlternatives(folder: string, architecture: Architecture): void {
  const triplet = `${{ amd64: 'x86_64', arm64: 'aarch64' }[architecture]}-linux-gnu`
  for (const name of ['blas', 'lapack']) {
    const library = `usr/lib/${triplet}/${name}/lib${name}.so.3`
    const link = join(folder, `usr/lib/${triplet}/lib${name}.so.3`)
    if (existsSync(join(folder, library)) && !existsSync(link)) symlinkSync(`${name}/lib${name}.so.3`, link)
  }
}

function run(program: string, args: readonly string[]): string {
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: fetchLimit, maxBuffer: 1e8 })
  if (result.status !== 0)
    throw new Error(`${program}: ${result.error?.message ?? `${result.stdout}${result.stderr}`.slice(-2000)}`)
  return result.stdout
}
