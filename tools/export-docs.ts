import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../cli/services.ts'

const sources = ['services/*/src/**/*.ts', 'kits/*/src/**/*.{ts,tsx}', 'services/*/ui/src/**/*.{ts,tsx}']

/**
 * Lists exports without a docstring that a file of another folder imports; empty when there are none. Tests do not count, and a
 * re-export stands for what it re-exports. The names that `ui/src/api.ts` gives to schemas of the API need none: the API
 * describes them.
 */
export function undocumentedExports(directory: string): string[] {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/*.test.ts', '**/*.gen.ts']
  const files = globSync(sources, { cwd: directory, exclude }).toSorted()
  const texts = new Map(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')]))
  const found = new Set<string>()
  for (const [file, text] of texts)
    for (const { names, target } of namedFrom(text)) {
      const source = relative(directory, join(directory, dirname(file), target))
      const declarations = texts.get(source)
      if (declarations === undefined || dirname(source) === dirname(file)) continue
      for (const name of names) if (isUndocumented(declarations, name)) found.add(`${source}: ${name}`)
    }
  return [...found].toSorted().map((place) => `${place} is imported by another folder and has no docstring`)
}

/** Names that a text imports or re-exports from relative paths. */
function namedFrom(text: string): { names: string[]; target: string }[] {
  const statements = text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)
  return Array.from(statements, ([, list = '', target = '']) => ({
    names: list
      .split(',')
      .map(
        (each) =>
          each
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0] ?? '',
      )
      .filter(Boolean),
    target,
  }))
}

function isUndocumented(text: string, name: string): boolean {
  const declaration = new RegExp(
    `^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\\*?|class|const|let|interface|type|enum) ${name}\\b`,
    'm',
  ).exec(text)
  if (declaration === null || /^[^\n]*= (?:Schemas\[|Query<|Body<)/.test(text.slice(declaration.index))) return false
  return !text.slice(0, declaration.index).trimEnd().endsWith('*/')
}

if (import.meta.main) {
  const faults = undocumentedExports(root)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
