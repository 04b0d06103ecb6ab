import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findServices } from '../cli/services.ts'

const styles = join(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')), 'styles')
const classNames = (text: string): Set<string> => new Set(text.match(/\bm_[\da-f]{6,8}\b/g))
const readAll = (folder: string, pattern: string): string =>
  globSync(pattern, { cwd: folder })
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')

/** Style sheet of Mantine for each class: one component each. */
const fileOf = new Map<string, string>()
for (const name of globSync('*.css', { cwd: styles }))
  if (!name.endsWith('.layer.css'))
    for (const className of classNames(readFileSync(join(styles, name), 'utf8'))) fileOf.set(className, name)

for (const { name, folder } of findServices())
  test(`${name}: the styles of every Mantine component in use are imported`, () => {
    const built = join(folder, 'ui/dist')
    const styled = classNames(readAll(built, 'assets/*.css'))
    const missing = [...classNames(readAll(built, 'assets/*.js'))].filter((one) => fileOf.has(one) && !styled.has(one))
    assert.ok(styled.size > 50, `the pages of ${name} are not built; npm test builds them`)
    const files = [...new Set(missing.map((one) => fileOf.get(one)))]
    assert.deepEqual(files, [], 'import these in kits/ui/src/hearth-styles.ts')
  })
