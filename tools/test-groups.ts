import type { TestTimes } from './test-times.ts'

/** Time that the files of one process may take together, milliseconds: a long process at the end leaves processors idle. */
const maxGroup = 40_000

/** The same for files that drive a browser. Their processes run one after another, so that a long one leaves nothing idle. */
const maxBrowserGroup = 150_000

/** Part of the time of all files that one process may take where that is more: a slow machine has as many processes as a fast one. */
const maxShare = 1 / 64

/**
 * Groups test files into processes: those of a package, which load the same modules, share one as long as they are short. The
 * longest group comes first, so that those that run side by side end together.
 */
export function groupTestFiles(files: readonly string[], times: TestTimes): string[][] {
  const weightOf = (file: string) => times[file] ?? guess(file)
  const share = files.reduce((sum, file) => sum + weightOf(file), 0) * maxShare
  const groups: { files: string[]; weight: number }[] = []
  const byPackage = Map.groupBy(files, (file) => `${packageOf(file)} ${isBrowserTest(file)}`)
  for (const neighbours of byPackage.values()) {
    const limit = Math.max(neighbours.some(isBrowserTest) ? maxBrowserGroup : maxGroup, share)
    let group = { files: [] as string[], weight: Infinity }
    // A long file is at the front, where it does not end the group that short ones began.
    for (const file of neighbours.toSorted((a, b) => Number(weightOf(b) > limit) - Number(weightOf(a) > limit))) {
      const weight = weightOf(file)
      if (group.weight + weight > limit) groups.push((group = { files: [], weight: 0 }))
      group.files.push(file)
      group.weight += weight
    }
  }
  return groups.toSorted((a, b) => b.weight - a.weight).map((group) => group.files)
}

const isBrowserTest = (file: string) => file.endsWith('.browser.test.ts')

/** Returns the part of a path whose files load much the same: `services/vpn/src`, `services/vpn/test`, `kits`, `tools`. */
function packageOf(file: string): string {
  const [first, second, third] = file.split('/')
  return first === 'services' ? `${first}/${second}/${third}` : String(first)
}

/** Times of files that take long on any machine, milliseconds, for a machine on which none was measured yet: they begin first. */
export const longFiles: TestTimes = {
  'services/media/test/pages.browser.test.ts': 75_000,
  'services/vpn/test/dns-pages.browser.test.ts': 70_000,
  'services/media/test/crashes.test.ts': 60_000,
  'services/media/test/several-processes.test.ts': 46_000,
  'services/inverter/test/pages.browser.test.ts': 43_000,
  'services/inverter/test/crash-matrix.test.ts': 43_000,
  'services/sites/test/sites-pages.browser.test.ts': 42_000,
  'services/sites/test/pages.browser.test.ts': 42_000,
  'services/vpn/test/as-code-tunnel.test.ts': 41_000,
}

/** Time of a file that never ran here: one that tests a whole service is long, one that lies beside what it tests is short. */
function guess(file: string): number {
  const known = longFiles[file]
  if (known !== undefined) return known
  if (isBrowserTest(file)) return 10_000
  return /^services\/[^/]+\/test\//.test(file) ? 4000 : 500
}
