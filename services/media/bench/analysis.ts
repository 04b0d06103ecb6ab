import { printKeys } from './key/table.ts'
import { printTempi } from './tempo/table.ts'

/** `npm run bench -- media/analysis`: the tables of tempi and keys of the README. Ends with 1 when ours misses a limit. */
const areTempiRight = await printTempi()
const areKeysRight = await printKeys()
process.exit(areTempiRight && areKeysRight ? 0 : 1)
