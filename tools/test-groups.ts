import { dirname } from 'node:path'
import type { TestTimes } from './test-times.ts'

/** Time that the files of one process may take together, milliseconds: a long process at the end leaves processors idle. */
const maxGroup = 20_000

/**
 * Groups test files into processes: neighbours, which load the same modules, share one as long as they are short. The longest
 * group comes first, so that those that run side by side end together.
 */
export function groupTestFiles(files: readonly string[], times: TestTimes): string[][] {
  const groups: { files: string[]; weight: number }[] = []
  const byFolder = Map.groupBy(files, (file) => `${dirname(file)} ${file.endsWith('.browser.test.ts')}`)
  for (const neighbours of byFolder.values()) {
    let group = { files: [] as string[], weight: Infinity }
    for (const file of neighbours) {
      const weight = times[file] ?? guess(file)
      if (group.weight + weight > maxGroup) groups.push((group = { files: [], weight: 0 }))
      group.files.push(file)
      group.weight += weight
    }
  }
  return groups.toSorted((a, b) => b.weight - a.weight).map((group) => group.files)
}

/** Time of a file that never ran here: one that tests a whole service is long, one that lies beside what it tests is short. */
function guess(file: string): number {
  if (file.endsWith('.browser.test.ts')) return 10_000
  return /^services\/[^/]+\/test\//.test(file) ? 4000 : 500
}
