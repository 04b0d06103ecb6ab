import { readFileSync, watchFile, unwatchFile } from 'node:fs'
import { phraseOfZodIssue } from '@hearth/http'
import { OperatorError, type Log } from '@hearth/runtime'
import { Faults } from './faults.ts'

/** Interval at which the file is checked, milliseconds. */
const lookEvery = 500

/**
 * Applies the faults of a file now and whenever it changes; content that is not right later is told once and leaves the
 * faults as they are. Throws an `OperatorError` when it is not right at the start. Returns what ends the watching.
 */
export function followFaultsFile(
  file: string,
  { log, apply }: { log: Log; apply: (faults: Faults) => void },
): () => void {
  apply(readFaults(file))
  const look = () => {
    try {
      apply(readFaults(file))
      log.info(`faults of ${file} are in force`)
    } catch (error) {
      log.error(error instanceof Error ? error.message : `${file} cannot be read`)
    }
  }
  watchFile(file, { interval: lookEvery }, look)
  return () => unwatchFile(file, look)
}

function readFaults(file: string): Faults {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`--faults: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  const result = Faults.safeParse(content)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new OperatorError(
    `--faults: ${issue?.path.join('.') ?? ''} ${issue === undefined ? 'is not valid' : phraseOfZodIssue(issue)} in ${file}`,
  )
}
