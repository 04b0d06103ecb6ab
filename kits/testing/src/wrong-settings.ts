import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@hearth/runtime'
import type { z } from 'zod'
import { runCommand } from './service-process.ts'
import { kindOfSetting, wrongTexts } from './setting-kinds.ts'
import { temporaryDirectory } from './temporary-directory.ts'

type Environment = Readonly<Record<string, string>>

/** A service's settings and what is wrong for those whose kind does not say. */
export interface WrongSettings {
  readonly schema: z.ZodObject
  readonly read: (environment: Environment) => object
  /** Wrong texts of settings with a form of their own. */
  readonly ownForms: Readonly<Record<string, readonly string[]>>
  /** Settings for which no text is wrong, with the reason. */
  readonly nothingWrong: Readonly<Record<string, string>>
}

/** Reads three wrong values of every setting and returns a line for each that is not refused with the setting's name. */
export function wrongTextProblems({ schema, read, ownForms, nothingWrong }: WrongSettings): string[] {
  return Object.entries(schema.shape).flatMap(([name, member]) => {
    const values = ownForms[name] ?? wrongTexts[kindOfSetting(name, member)]
    if (values.length < 3) return nothingWrong[name] === undefined ? [`${name}: has fewer than three wrong values`] : []
    return values.flatMap((value) => {
      try {
        read({ [name]: value })
        return [`${name}: takes ${JSON.stringify(value)}`]
      } catch (error) {
        const isNamed = error instanceof OperatorError && error.message.startsWith(`${name}: `)
        return isNamed && !error.message.includes('\n') ? [] : [`${name}: ${JSON.stringify(value)}: ${String(error)}`]
      }
    })
  })
}

/** Files and directories that are no good as something else. */
export interface WrongPaths {
  /** An empty directory. */
  readonly directory: string
  /** A regular file with a line of text, not executable. */
  readonly file: string
  /** A path below a regular file. */
  readonly belowFile: string
  /** A path in a directory that is not there. */
  readonly nowhere: string
}

/**
 * Runs a command once for each environment, with a data directory that does not exist yet, and returns a line for each run
 * that does not end with exit code 1, one line on stderr that begins with the variable's name, and nothing written.
 */
export async function refusalProblems(
  args: readonly string[],
  wrong: (places: WrongPaths) => readonly (readonly [name: string, environment: Environment])[],
): Promise<string[]> {
  await using folder = await temporaryDirectory('wrong')
  const places = {
    directory: join(folder.path, 'directory'),
    file: join(folder.path, 'file'),
    belowFile: join(folder.path, 'file/below'),
    nowhere: join(folder.path, 'no/where'),
  }
  await mkdir(places.directory)
  await writeFile(places.file, 'nothing of use\n')
  const faults: string[] = []
  for (const [index, [name, environment]] of wrong(places).entries()) {
    const data = environment['DATA_DIR'] ?? join(folder.path, `data-${index}`)
    const { code, stdout, stderr } = await runCommand(args, { DATA_DIR: data, BIND_PORT: '0', ...environment })
    const lines = stderr.trim().split('\n')
    const isRefused = code === 1 && stdout === '' && lines.length === 1 && lines[0]?.startsWith(`hearth: ${name}: `)
    const isClean = data === places.file || !existsSync(data) || (await readdir(data)).length === 0
    const text = `${args.join(' ')} ${name}=${environment[name] ?? ''}`
    if (isRefused !== true) faults.push(`${text}: ${code} ${stdout}${stderr}`)
    if (!isClean) faults.push(`${text}: left ${(await readdir(data)).join(' ')}`)
    if (existsSync(join(folder.path, 'no')) || (await readdir(places.directory)).length > 0)
      faults.push(`${text}: wrote where it must not`)
  }
  return faults
}
