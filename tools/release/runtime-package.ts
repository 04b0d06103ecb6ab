import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { nodeFlags, variables } from '../../cli/memory-limits.mjs'
import { root } from '../../cli/services.ts'
import { copyFiles, writeText, type DebianPackage } from './debian-package.ts'
import { licenceNotices } from './licence-notices.ts'
import { lockedClosure, type LockedPackage } from './locked-packages.ts'
import { runtimeScripts, upgradeScript } from './maintainer-scripts.ts'
import { architectures, provideNode, type Architecture } from './node-program.ts'

const programs = join(import.meta.dirname, 'programs')

/** What the bundles of the services leave outside, each with the files of it that are used; all but types when none are named. */
const outside: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3-multiple-ciphers': ['package.json', 'lib/'],
  'graphile-worker': [],
  highs: ['package.json', 'build/highs.mjs', 'build/highs.wasm'],
  'pino-pretty': [],
  'swagger-ui-dist': ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'],
}

/** Packages the runtime is made of, as the lockfile has them. */
export function runtimePackages(architecture: Architecture): LockedPackage[] {
  const node = `node_modules/node-linux-${architectures[architecture]}`
  return [...lockedClosure(['cli', ...outsidePaths()]), ...lockedClosure([node])]
}

/** Puts together in `folder` what all services share: Node, the command line, and the packages that stand outside the bundles. */
export async function stageRuntime(
  folder: string,
  version: string,
  architecture: Architecture,
): Promise<DebianPackage> {
  const home = join(folder, 'usr/lib/hearth')
  const node = provideNode(architecture)
  writeText(join(home, 'bin/node'), readFileSync(join(node, 'bin/node')), 0o755)
  writeText(join(home, 'package.json'), `${JSON.stringify({ name: 'hearth', version, type: 'module' })}\n`)
  await bundleCommandLine(join(home, 'cli'))
  for (const { path, name } of lockedClosure(outsidePaths())) copyPackage(path, name, { home, architecture })
  writeText(join(folder, 'usr/bin/hearth'), startScript, 0o755)
  writeText(join(home, 'keep-previous'), readFileSync(join(programs, 'keep-previous.sh')), 0o755)
  writeText(join(folder, 'usr/sbin/hearth-rollback'), readFileSync(join(programs, 'hearth-rollback.sh')), 0o755)
  const notices = licenceNotices(lockedClosure(['cli', ...outsidePaths()]))
  const nodeNotice = readFileSync(join(node, 'LICENSE'), 'utf8')
  writeText(join(folder, 'usr/share/doc/hearth-runtime/copyright'), `${notices}\n${'-'.repeat(79)}\n\n${nodeNotice}`)
  return {
    name: 'hearth-runtime',
    version,
    architecture,
    depends: ['libc6 (>= 2.28)', 'libstdc++6', 'libatomic1', 'adduser', 'util-linux'],
    description: ['what the services of Hearth share', 'Node.js and the hearth command.'],
    scripts: runtimeScripts(version),
  }
}

/** `/usr/bin/hearth`: Node with the limits of memory, which what is set already overrides. */
const startScript = `#!/bin/sh
${Object.entries(variables)
  .map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
  .join('\n')}
exec /usr/lib/hearth/bin/node ${nodeFlags.join(' ')} /usr/lib/hearth/cli/hearth.mjs "$@"
`

const outsidePaths = (): string[] => Object.keys(outside).map((name) => `node_modules/${name}`)

function copyPackage(path: string, name: string, to: { home: string; architecture: Architecture }): void {
  const used = outside[name] ?? []
  const addon =
    name in outside && name.startsWith('better') ? `prebuilds/linux-${architectures[to.architecture]}.node` : ''
  copyFiles(join(root, path), join(to.home, path), (file) => {
    if (file.startsWith('node_modules/') || /\.d\.[cm]?ts$|\.map$|\.md$/i.test(file)) return false
    return (
      used.length === 0 ||
      file === addon ||
      used.some((part) => file === part || (part.endsWith('/') && file.startsWith(part)))
    )
  })
}

/** Bundles the command line to plain JavaScript: `hearth.mjs`, and what only some commands load. */
async function bundleCommandLine(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: { hearth: join(root, 'cli/installed.ts') },
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await build.close()
  for (const part of output)
    writeText(join(folder, part.fileName), part.type === 'chunk' ? part.code : Buffer.from(part.source))
}

/** Puts together in `folder` the package that brings all services. */
export function stageAll(folder: string, version: string, services: readonly string[]): DebianPackage {
  writeText(join(folder, 'usr/share/doc/hearth/copyright'), readFileSync(join(root, 'LICENSE')))
  return {
    name: 'hearth',
    version,
    architecture: 'all',
    depends: services.map((name) => `hearth-${name} (= ${version})`),
    description: ['self-hosted services for a house server', 'Installs all services of Hearth.'],
    scripts: { prerm: upgradeScript(version) },
  }
}
