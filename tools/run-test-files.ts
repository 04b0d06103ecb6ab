import { join } from 'node:path'
import { run } from 'node:test'
import report from './test-report.ts'

// The child of `runTests`: runs the files of its arguments in the order they are given in, which `node --test` does not, and
// reports on stdout. On the build machine every property is tried with the same values.
const [concurrency, ...files] = process.argv.slice(2)
const preloads = ['file-limit.ts', ...(process.env['CI'] === 'true' ? ['fixed-seed.ts'] : [])]
const execArgv = preloads.map((name) => `--import=${join(import.meta.dirname, name)}`)
run({ files, concurrency: Number(concurrency), timeout: 300_000, execArgv })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined) process.exitCode = 1
  })
  .compose(report)
  .pipe(process.stdout)
