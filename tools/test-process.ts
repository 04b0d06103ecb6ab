import { channel } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { after, suite, test } from 'node:test'
import { root } from '../cli/services.ts'
import { processorTime } from './processor-time.ts'
import './property-seed.ts'
import { reportBegin, reportCost } from './test-report.ts'

// The child of `runTests`: runs the test files of its arguments in one process, one after the other. Each is a test that ends
// with the tests of its file, so that the next file is loaded when this one has let go of everything.
const [fileLimit, closeLimit, ...files] = process.argv.slice(2)

let reported = processorTime()

function reportSpent(file: string): void {
  const now = processorTime()
  reportCost(file, now - reported)
  reported = now
}

// What ends after the last test, such as a shared browser, counts for the last file.
process.on('exit', () => reportSpent(files.at(-1) ?? ''))

for (const file of files)
  test(file, { timeout: Number(fileLimit) }, async () => {
    reportBegin(file)
    await suite(file, () => import(resolve(root, file)))
    reportSpent(file)
  })

// What tests share ends with the last of them. What a failed test leaves open would keep the process for ever.
after(() => {
  channel('hearth:tests-end').publish(undefined)
  setTimeout(() => {
    process.stderr.write(`still open after the tests: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, Number(closeLimit)).unref()
})
