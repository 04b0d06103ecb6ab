import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

/** Builds a program of ours into a folder, the way the service is built, and returns the path of its script. */
export async function buildProgram(source: string, folder: string): Promise<string> {
  const name = `${basename(source, '.ts')}.mjs`
  const build = await rolldown({ platform: 'node', input: source })
  await build.write({ dir: folder, format: 'esm', entryFileNames: name })
  await build.close()
  return join(folder, name)
}
