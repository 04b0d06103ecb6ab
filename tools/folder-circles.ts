import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../cli/services.ts'

/** An import of one feature folder by another, with the files that stand for it. */
interface FolderImport {
  readonly from: string
  readonly to: string
  readonly files: string[]
}

/** Imports between the feature folders of `services/<name>/src`; type imports count, tests and files outside a folder do not. */
export function folderImports(sources: string): FolderImport[] {
  const found = new Map<string, FolderImport>()
  for (const file of globSync('*/**/*.ts', { cwd: sources })) {
    if (file.endsWith('.test.ts')) continue
    for (const [, target] of readFileSync(join(sources, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const to = folderOf(relative(sources, join(sources, dirname(file), target ?? '')))
      const from = folderOf(file)
      if (to === undefined || from === undefined || from === to) continue
      const edge = found.get(`${from} ${to}`) ?? { from, to, files: [] }
      edge.files.push(`${file} imports ${target}`)
      found.set(`${from} ${to}`, edge)
    }
  }
  return [...found.values()]
}

/** Sets of folders that reach each other. */
export function circlesOf(imports: readonly FolderImport[]): string[][] {
  const folders = [...new Set(imports.flatMap(({ from, to }) => [from, to]))].toSorted()
  const reach = new Map(folders.map((folder) => [folder, reachable(folder, imports)]))
  const circles: string[][] = []
  for (const folder of folders) {
    if (circles.some((circle) => circle.includes(folder))) continue
    const circle = folders.filter((other) => reach.get(folder)?.has(other) && reach.get(other)?.has(folder))
    if (circle.length > 1) circles.push(circle)
  }
  return circles
}

function reachable(folder: string, imports: readonly FolderImport[]): Set<string> {
  const reached = new Set<string>()
  const open = [folder]
  for (const from of open)
    for (const edge of imports)
      if (edge.from === from && !reached.has(edge.to)) {
        reached.add(edge.to)
        open.push(edge.to)
      }
  return reached
}

/** The first part of a path inside the sources; undefined for files that stand in no folder, and for paths outside. */
function folderOf(path: string): string | undefined {
  const [first, second] = path.split('/')
  return second === undefined || first === '..' ? undefined : first
}

/** Problems of a service's folders, with the imports that close each circle; empty if there are none. */
export function circleFaults(service: string, sources: string): string[] {
  const imports = folderImports(sources)
  return circlesOf(imports).map((circle) => {
    const edges = imports.filter(({ from, to }) => circle.includes(from) && circle.includes(to))
    const lines = edges.map(({ from, to, files }) => `  ${from} → ${to}: ${files[0]}`)
    return [`${service}: the folders ${circle.join(', ')} import each other`, ...lines].join('\n')
  })
}

if (import.meta.main) {
  const faults = globSync('services/*/src', { cwd: root }).flatMap((sources) =>
    circleFaults(sources.split('/')[1] ?? '', join(root, sources)),
  )
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
