import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../../cli/services.ts'

/** A fresh Debian with the packages of a release in its folder `/packages`. */
export interface TrialRoot extends Disposable {
  /** Runs a shell line as root with the host's network, for apt. Throws with what it printed if it fails. */
  run(line: string): string
  /** Runs a shell line as root in a network of its own, where only loopback is. */
  runAlone(line: string): string
}

/** Makes a root from Debian's mirror, which takes half a minute the first time; it is kept in `node_modules/.cache`. */
export function openTrialRoot(release: string): TrialRoot {
  const cached = join(root, 'node_modules/.cache/release/bookworm.tar')
  if (!existsSync(cached)) {
    mkdirSync(join(cached, '..'), { recursive: true })
    call('mmdebstrap', ['--variant=minbase', 'bookworm', `${cached}.new.tar`], 240)
    renameSync(`${cached}.new.tar`, cached)
  }
  const folder = mkdtempSync(join(tmpdir(), 'hearth-trial-'))
  call('tar', ['-xf', cached, '-C', folder], 60)
  cpSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  // Nothing is started by an installation: there is no systemd here.
  writeFileSync(join(folder, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  mkdirSync(join(folder, 'packages'))
  for (const file of globSync('*.deb', { cwd: release }))
    cpSync(join(release, file), join(folder, 'packages', basename(file)))
  const enter = `mount -t proc proc "$1/proc" && { ip link set lo up 2>/dev/null; exec chroot "$1" /bin/sh -ec "$2"; }`
  const inRoot = (line: string, ...more: string[]) =>
    call('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...more, 'sh', '-c', enter, 'sh', folder, line], 300)
  return {
    run: (line) => inRoot(line),
    runAlone: (line) => inRoot(line, '--net'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Runs a program for at most so many seconds and returns what it printed. */
function call(program: string, args: readonly string[], seconds: number): string {
  const result = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: seconds * 1000,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (result.status !== 0)
    throw new Error(`${program} ${args.at(-1)}: ${result.error?.message ?? `${result.stdout}${result.stderr}`}`)
  return result.stdout
}
