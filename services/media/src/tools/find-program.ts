import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds a program at the configured path or in `PATH`; undefined when it is nowhere. */
export function findProgram(name: string, configured?: string): string | undefined {
  if (configured !== undefined) return isExecutable(configured) ? configured : undefined
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
