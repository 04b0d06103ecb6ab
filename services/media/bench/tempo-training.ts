import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeModel } from './tempo/training/encode-model.ts'
import { trainModel } from './tempo/training/train-model.ts'

/**
 * `npm run bench -- media/tempo-training`: renders the design set and trains the model of the tempo estimator with it. What was
 * rendered is kept in `TEMPO_PIECES`, or in a temporary folder. The pieces set aside are not touched.
 */
const model = await trainModel((line) => process.stdout.write(`${line}\n`))
const file = join(import.meta.dirname, '../src/analysis/tempo/tempo-model.data.ts')
const head = [
  "import type { EncodedModel } from './tempo-model.ts'",
  '',
  '/** Made by `npm run bench -- media/tempo-training` of the design set in `test/music/rhythms`. */',
]
await writeFile(
  file,
  `${head.join('\n')}\nexport const encodedModel: EncodedModel = ${JSON.stringify(encodeModel(model))}\n`,
)
process.stdout.write(`written: ${file}; run npm run format\n`)
