import { printKeys } from './key/table.ts'
import { readBenchOptions } from './tempo/bench-options.ts'
import { printTempi } from './tempo/table.ts'

/**
 * `npm run bench -- media/analysis`: the tables of tempi and keys of the README. Ends with 1 when ours misses a limit. With
 * `ANALYSIS_SET=design` it measures the pieces that the estimators were made with, with `ANALYSIS_EVERY=5` every fifth piece.
 */
const options = readBenchOptions(process.env)
const begin = performance.now()
const areTempiRight = await printTempi(options)
const areKeysRight = await printKeys(options)
process.stdout.write(`${((performance.now() - begin) / 60_000).toFixed(1)} minutes\n`)
process.exit(areTempiRight && areKeysRight ? 0 : 1)
