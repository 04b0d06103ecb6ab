import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '../cli/services.ts'

/** A statement of the query builder, or a piece of SQL. */
const statement =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|createTable|alterTable)\(|\bsql(?:<[^>]*>)?`/

/**
 * Lists files of services with SQL that are no `store.ts`, `tables.ts` or migration; empty when there are none. A folder with
 * several stores names them `<noun>-store.ts`. Tests do not count.
 */
export function strayStatements(directory: string): string[] {
  const exclude = ['**/node_modules/**', '**/*.test.ts']
  return globSync('services/*/src/**/*.ts', { cwd: directory, exclude })
    .filter((file) => !isPlaceOfSql(file))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(join(directory, file), 'utf8').split('\n')
      const at = lines.findIndex((line) => statement.test(line))
      return at < 0 ? [] : [`${file}:${at + 1} holds SQL: it belongs into a store.ts, tables.ts or migration`]
    })
}

function isPlaceOfSql(file: string): boolean {
  return /(?:^|-)(?:store|tables)\.ts$/.test(basename(file)) || file.includes('/migrations/')
}

if (import.meta.main) {
  const faults = strayStatements(root)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
