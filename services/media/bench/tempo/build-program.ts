import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Builds our estimator as a program into a folder, the way the service is built, and returns the path of its script. */
export async function buildProgram(folder: string): Promise<string> {
  const build = await rolldown({ platform: 'node', input: join(import.meta.dirname, 'our-program.ts') })
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' })
  await build.close()
  return join(folder, 'our-program.mjs')
}
