import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../cli/services.ts'

/** Lists imports of a service by another service or by a kit, tests and pages included; empty when there are none. */
export function serviceImportFaults(directory: string): string[] {
  const names = new Set(globSync('services/*', { cwd: directory }).map((path) => path.split('/')[1] ?? ''))
  const exclude = ['**/node_modules/**', '**/dist/**']
  const files = globSync('{kits,services}/*/**/*.{ts,tsx}', { cwd: directory, exclude })
  return files.toSorted().flatMap((file) =>
    importsOf(directory, file).flatMap((target) => {
      const [, owner = ''] = /^(?:services\/|@hearth\/)([^/]+)/.exec(target) ?? []
      return !names.has(owner) || file.startsWith(`services/${owner}/`)
        ? []
        : [`${file} imports the service ${owner}: put what both need into a kit`]
    }),
  )
}

/** Imported packages, and imported files as paths from the root of the repository. */
function importsOf(directory: string, file: string): string[] {
  const text = readFileSync(join(directory, file), 'utf8')
  return [...text.matchAll(/(?:\bfrom|^import|\bimport\() ?'([^']+)'/gm)].map(([, target = '']) =>
    target.startsWith('.') ? relative(directory, join(directory, dirname(file), target)) : target,
  )
}

if (import.meta.main) {
  const faults = serviceImportFaults(root)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
