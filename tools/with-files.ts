import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'

/** Runs a check, in tests, over a folder that holds these texts by path, and returns what it found. */
export async function withFiles(
  files: Readonly<Record<string, string>>,
  check: (directory: string) => string[],
): Promise<string[]> {
  await using folder = await temporaryDirectory('files')
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder.path, dirname(file)), { recursive: true })
    await writeFile(join(folder.path, file), text)
  }
  return check(folder.path)
}
